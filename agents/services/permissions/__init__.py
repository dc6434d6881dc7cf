"""Rules people write, requests they answer, and what both release."""
