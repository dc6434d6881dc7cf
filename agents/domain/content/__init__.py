"""What people and models read: messages, their parts, and what a turn reports of them."""
