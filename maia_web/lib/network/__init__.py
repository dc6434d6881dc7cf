"""What the server may reach, and how it does."""
