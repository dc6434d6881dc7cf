"""Topics: who hears a frame."""

from __future__ import annotations

EVERYBODY = "person."
"""Stands for every person at once, where a process does not know whom something was about."""


def channel_topic(channel_id: str) -> str:
    """Everything that happens in one channel."""
    return f"channel.{channel_id}"


def workspace_topic(workspace_id: str) -> str:
    """What is in the lists of all members of a workspace."""
    return f"workspace.{workspace_id}"


def own_topic(user_id: int, workspace_id: str) -> str:
    """What is in the lists of one member of a workspace alone, as long as they are one."""
    return f"own.{user_id}.{workspace_id}"


def is_list(topic: str) -> bool:
    """Tells whether this is the topic of a list."""
    return topic.startswith(("workspace.", "own."))


def channel_in(topic: str) -> str | None:
    """Returns whose topic this is, None if it is not a channel's."""
    return topic.removeprefix("channel.") if topic.startswith("channel.") else None


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
