"""Turns: claimed, written, taken up, ended."""
