"""Channels and conversations as one person sees them."""
