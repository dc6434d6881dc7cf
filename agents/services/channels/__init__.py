"""Channels, their messages, and the frames that tell of them."""
