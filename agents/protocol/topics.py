"""Topics: who hears a frame."""

from __future__ import annotations

EVERYBODY = "person."
"""Stands for every person at once, where a process does not know whom something was about."""


def channel_topic(channel_id: str) -> str:
    """Everything that happens in one channel."""
    return f"channel.{channel_id}"


def workspace_topic(workspace_id: str) -> str:
    """What all members of a workspace should know."""
    return f"workspace.{workspace_id}"


def person_topic(user_id: int) -> str:
    """What one person should know."""
    return f"person.{user_id}"


def is_person(topic: str) -> bool:
    """Tells whether this is the topic of one person, or of everybody."""
    return topic.startswith(EVERYBODY)


def person_in(topic: str) -> int | None:
    """Returns whose topic this is, None for everybody's; only for topics of people."""
    number = topic.removeprefix(EVERYBODY)
    return int(number) if number.isdecimal() else None
