"""Builds durable frames inside the transaction that makes them true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from agents.delivery import publish
from agents.domain.content.parts import Part
from agents.models import Channel, Message
from agents.protocol.frames import Answering, MessageUpdated, TurnChanged
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.snapshots import queued_in, turn_state
from agents.selectors.values import message_value
from maia_web.lib.fixed import Fixed, Row

_HOLD = """
    SELECT 1 FROM agents_channel AS channel
    JOIN workspaces_membership AS member ON member.workspace_id = channel.workspace_id
    JOIN accounts_user AS person ON person.id = member.user_id
    WHERE channel.id = %(channel)s AND person.id = %(user)s
    AND (channel.direct_user_id IS NULL OR channel.direct_user_id = person.id)
    FOR UPDATE OF channel FOR SHARE OF member, person
"""
"""In SQL: Django knows one strength of a lock for a statement."""


def lock_channel(channel_id: str) -> Channel:
    """Returns the channel's row, locked until the transaction ends: one writer at a time."""
    return Channel.objects.select_for_update().get(id=channel_id)


def lock_channel_of(turn_id: str) -> None:
    """Locks the channel of a turn, where the transaction is no lock already as SQLite's is."""
    if connection.features.has_select_for_update:
        _LOCK_OF.first(turn_id)


def _lock_of(turn_id: str) -> QuerySet[Channel, Row]:
    locked = Channel.objects.select_for_update(of=("self",)).filter(turns=turn_id)
    return locked.order_by().values_list("id")


_LOCK_OF = Fixed(_lock_of)


def hold_channel(user_id: int, channel_id: str) -> None:
    """Locks a channel, and that this person may reach it; whoever may not locks nothing.

    For what goes on in their name: whoever takes their rights away then waits for it, and finds it.
    SQLite's transaction is such a lock already.
    """
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(_HOLD, {"channel": channel_id, "user": user_id})


class Numbers:
    """Numbers for what one transaction adds to a channel, taken in one statement."""

    def __init__(self, channel_id: str, *, frames: int, messages: int) -> None:
        seq, position = _counted(
            "UPDATE agents_channel SET seq = seq + %s, last_position = last_position + %s,"
            " last_activity = %s WHERE id = %s RETURNING seq, last_position",
            frames,
            messages,
            _now(),
            channel_id,
        )
        self._seqs = iter(range(seq - frames + 1, seq + 1))
        self._positions = iter(range(position - messages + 1, position + 1))

    def next_seq(self) -> int:
        """Returns the number of the next durable frame."""
        return next(self._seqs)

    def next_position(self) -> int:
        """Returns the position of the next message."""
        return next(self._positions)


def next_seq(channel_id: str, frames: int = 1) -> int:
    """Returns the next number of a durable frame of the channel: the last one of so many."""
    (seq,) = _counted(
        "UPDATE agents_channel SET seq = seq + %s WHERE id = %s RETURNING seq", frames, channel_id
    )
    return seq


def next_position(channel_id: str) -> int:
    """Returns the position of the next message; the channel counts as active now."""
    (position,) = _counted(
        "UPDATE agents_channel SET last_position = last_position + 1, last_activity = %s"
        " WHERE id = %s RETURNING last_position",
        _now(),
        channel_id,
    )
    return position


def _now() -> Any:
    return connection.ops.adapt_datetimefield_value(timezone.now())


def _counted(statement: str, *values: Any) -> tuple[int, ...]:
    """In SQL: Django knows no RETURNING for updates, and each durable frame counts."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        counted: tuple[int, ...] = cursor.fetchone()
    return counted


def publish_message(row: Message) -> None:
    """Publishes `message:updated` on commit."""
    publish_messages(row.channel_id, [row])


def publish_messages(channel_id: str, rows: Sequence[Message]) -> None:
    """Publishes `message:updated` of each on commit; their numbers are taken in one statement."""
    if not rows:
        return
    first = next_seq(channel_id, len(rows)) - len(rows) + 1
    for seq, row in enumerate(rows, first):
        publish_numbered(row, seq)


def publish_numbered(row: Message, seq: int, parts: tuple[Part, ...] | None = None) -> None:
    """Publishes `message:updated` on commit under a number that was taken.

    `parts`: those of the message, where they are known.
    """
    frame = MessageUpdated(channel=row.channel_id, seq=seq, message=message_value(row, parts))
    publish.on_commit(channel_topic(row.channel_id), frame)


def publish_turn(channel_id: str, *, lists: bool = True) -> None:
    """Publishes `turn:changed` on commit, and tells the lists that show the channel."""
    answering, queued = turn_state(channel_id)
    publish_state(channel_id, next_seq(channel_id), answering, queued)
    if lists:
        refresh_lists(channel_id)


def publish_over(channel_id: str, seq: int) -> None:
    """The same under a number that was taken, once the running turn is over: nobody answers."""
    publish_state(channel_id, seq, None, queued_in(channel_id))
    refresh_lists(channel_id)


def publish_state(channel_id: str, seq: int, answering: Answering | None, queued: int) -> None:
    """Publishes `turn:changed` on commit under a number that was taken."""
    frame = TurnChanged(
        channel=channel_id,
        seq=seq,
        busy=answering is not None,
        queued=queued,
        answering=answering,
    )
    publish.on_commit(channel_topic(channel_id), frame)


def refresh_lists(channel_id: str, *, fewer: bool = False) -> None:
    """Tells everybody who sees the channel what it is in their lists now, on commit.

    `fewer`: messages that may have counted as unread are gone.
    """
    publish.channel_changed(channel_id, fewer=fewer)
