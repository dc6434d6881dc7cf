"""What the rules say of a call, and what people are asked and answer."""
