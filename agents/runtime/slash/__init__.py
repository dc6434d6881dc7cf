"""Slash commands that need more than the database."""
