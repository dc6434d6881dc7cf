"""What becomes of a line that somebody typed."""
