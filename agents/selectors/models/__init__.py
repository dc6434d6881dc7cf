"""Which models answer, and how much they take in."""
