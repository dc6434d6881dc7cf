"""The two sides of a comparison, and what speaks to them: MAIA, a bare fan-out, peers."""
