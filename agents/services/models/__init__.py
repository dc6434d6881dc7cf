"""Which model answers."""
