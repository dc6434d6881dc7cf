"""Topics: who hears a frame."""

from __future__ import annotations


def channel_topic(channel_id: str) -> str:
    """Everything that happens in one channel."""
    return f"channel.{channel_id}"


def workspace_topic(workspace_id: str) -> str:
    """What all members of a workspace should know."""
    return f"workspace.{workspace_id}"


def person_topic(user_id: int) -> str:
    """What one person should know."""
    return f"person.{user_id}"
