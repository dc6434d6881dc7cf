"""What tools take and give, as values."""
