"""Builds durable frames inside the transaction that makes them true."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connection
from django.utils import timezone

from agents.delivery import publish
from agents.models import Channel, Message
from agents.protocol.frames import MessageUpdated, TurnChanged
from agents.protocol.topics import channel_topic, person_topic, workspace_topic
from agents.selectors.conversation.channels import audience
from agents.selectors.conversation.snapshots import turn_state
from agents.selectors.values import message_value


def lock_channel(channel_id: str) -> Channel:
    """Returns the channel's row, locked until the transaction ends: one writer at a time."""
    return Channel.objects.select_for_update().get(id=channel_id)


def lock_channel_of(turn_id: str) -> None:
    """Locks the channel of a turn until the transaction ends."""
    locked = Channel.objects.select_for_update(of=("self",)).filter(turns=turn_id)
    locked.values_list("id", flat=True).first()


def next_seq(channel_id: str, frames: int = 1) -> int:
    """Returns the next number of a durable frame of the channel: the last one of so many."""
    return _counted(
        "UPDATE agents_channel SET seq = seq + %s WHERE id = %s RETURNING seq", frames, channel_id
    )


def next_position(channel_id: str) -> int:
    """Returns the position of the next message; the channel counts as active now."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    return _counted(
        "UPDATE agents_channel SET last_position = last_position + 1, last_activity = %s"
        " WHERE id = %s RETURNING last_position",
        now,
        channel_id,
    )


def _counted(statement: str, *values: Any) -> int:
    """In SQL: Django knows no RETURNING for updates, and each durable frame counts."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        counted: int = cursor.fetchone()[0]
    return counted


def publish_message(row: Message) -> None:
    """Publishes `message:updated` on commit."""
    publish_messages(row.channel_id, [row])


def publish_messages(channel_id: str, rows: Sequence[Message]) -> None:
    """Publishes `message:updated` of each on commit; their numbers are taken in one statement."""
    if not rows:
        return
    topic = channel_topic(channel_id)
    first = next_seq(channel_id, len(rows)) - len(rows) + 1
    for seq, row in enumerate(rows, first):
        frame = MessageUpdated(channel=channel_id, seq=seq, message=message_value(row))
        publish.on_commit(topic, frame)


def publish_turn(channel_id: str, *, lists: bool = True) -> None:
    """Publishes `turn:changed` on commit, and refreshes the audience's lists of channels."""
    answering, queued = turn_state(channel_id)
    frame = TurnChanged(
        channel=channel_id,
        seq=next_seq(channel_id),
        busy=answering is not None,
        queued=queued,
        answering=answering,
    )
    publish.on_commit(channel_topic(channel_id), frame)
    if lists:
        refresh_lists(channel_id)


def refresh_lists(channel_id: str) -> None:
    """Tells everybody who sees the channel to take the list of channels anew, on commit."""
    publish.signal_on_commit(_audience(channel_id), "channels")


@lru_cache(maxsize=4096)
def _audience(channel_id: str) -> str:
    """Returns the topic of everybody who sees a channel: that never changes."""
    workspace, person = audience(channel_id)
    return person_topic(person) if person else workspace_topic(workspace)
