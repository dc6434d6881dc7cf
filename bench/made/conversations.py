"""Conversations, long and many; for a process whose Django has the data of a server."""

from __future__ import annotations

import os
from collections.abc import Sequence

BATCH = 2_000
Wanted = tuple[int, str, int, int]
"""Whose, in which workspace, how many messages, how many characters each."""


def long(wanted: Sequence[Wanted]) -> list[str]:
    """Makes conversations of so many messages; returns their ids."""
    return [_long(number, *one) for number, one in enumerate(wanted)]


def many(person: int, workspace: str, count: int) -> list[str]:
    """Makes so many channels with the agent in them, nothing said yet; returns their ids."""
    from agents.models import Agent, Channel, ChannelAgent

    agent = Agent.objects.get(name="maia")
    made = Channel.objects.bulk_create(
        Channel(workspace_id=workspace, name=f"channel {person} {number}")
        for number in range(count)
    )
    ChannelAgent.objects.bulk_create(ChannelAgent(channel=one, agent=agent) for one in made)
    return [one.id for one in made]


def _long(number: int, person: int, workspace: str, length: int, size: int) -> str:
    from agents.models import Agent, Channel, Message
    from agents.services.channels.channels import create_channel

    name = f"long {number} {length} {size} {os.getpid()}"
    channel = create_channel(person, workspace, name, members=("maia",))
    agent = Agent.objects.get(name="maia")
    for start in range(0, length, BATCH):
        Message.objects.bulk_create(
            Message(
                channel_id=channel,
                position=position,
                role="agent" if position % 2 else "user",
                author_id=None if position % 2 else person,
                agent=agent if position % 2 else None,
                parts=[{"type": "text", "text": _text(position, size)}],
            )
            for position in range(start + 1, min(start + BATCH, length) + 1)
        )
    Channel.objects.filter(id=channel).update(last_position=length)
    return channel


def _text(position: int, size: int) -> str:
    return f"Message {position}. {'Some words. ' * (size // 12 + 1)}"[:size]
