"""The messages of a session: added, changed, taken back. Nothing else writes them.

Each change raises the session's revision in the same transaction, so that what was read of a
session before is brought up to date by what changed since. The caller holds the channel's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from agents.domain.content.model_messages import ModelMessage, join_user
from agents.domain.content.remembered import Memory
from agents.domain.memory.tokens import count_if_short, count_message
from agents.models import AgentSession, SessionMessage, Turn
from agents.selectors.memory import MEMORIES
from maia_web.lib.fixed import FixedInsert

_ADD = FixedInsert(SessionMessage)


def append_message(
    session: AgentSession, turn: Turn | None, message: ModelMessage, tokens: int | None = None
) -> None:
    """Adds a message at the end; `tokens` as far as they are counted already."""
    revision, length = _changed(session, "length = length + 1")
    _ADD(
        SessionMessage(
            session=session,
            turn=turn,
            position=length,
            content=message.wire(),
            tokens=count_if_short(message) if tokens is None else tokens,
            revision=revision,
        )
    )


def append_user_text(session: AgentSession, turn: Turn, text: str, before: Memory) -> Memory:
    """Adds a request to `before`, all there is, so that roles alternate; returns what is there."""
    message = join_user(before.messages[-1:], text)[-1]
    if not before.messages or before.messages[-1].role != "user":
        append_message(session, turn, message)
        return before.ended_with(message, count_if_short(message), session.revision)
    change_last(session, message)
    return before.ending_in(message, count_if_short(message), session.revision)


def change_last(session: AgentSession, message: ModelMessage) -> None:
    """Puts another message in the last one's place."""
    revision, length = _changed(session, "length = length")
    session.messages.filter(position=length).update(
        content=message.wire(), tokens=count_if_short(message), revision=revision
    )


def keep_first(session: AgentSession, count: int) -> None:
    """Takes back all messages but the first `count`."""
    _changed(session, "length = %s", count)
    session.messages.filter(position__gt=count).delete()


def add_all(session: AgentSession, messages: Iterable[ModelMessage]) -> int:
    """Fills a new session; returns the tokens of its messages, counted here."""
    rows = [
        SessionMessage(
            session=session,
            position=place,
            content=message.wire(),
            tokens=count_message(message),
            revision=session.revision,
        )
        for place, message in enumerate(messages, start=1)
    ]
    SessionMessage.objects.bulk_create(rows)
    _changed(session, "length = %s", len(rows))
    return sum(row.tokens or 0 for row in rows)


@transaction.atomic
def keep_counts(session_id: int, memory: Memory, counts: Mapping[int, int]) -> Memory:
    """Keeps tokens that were counted of messages of a memory, by position; returns it with them.

    What changed meanwhile is left alone; nobody waits for a lock.
    """
    rows = SessionMessage.objects.filter(
        session=session_id, tokens=None, revision__lte=memory.revision
    )
    counted = [
        SessionMessage(pk=pk, tokens=counts[position])
        for pk, position in rows.values_list("pk", "position")
        if position in counts
    ]
    SessionMessage.objects.bulk_update(counted, ["tokens"], batch_size=500)
    known = memory.counted(counts)
    transaction.on_commit(partial(MEMORIES.keep, session_id, known))
    return known


def _changed(session: AgentSession, length: str, *values: int) -> tuple[int, int]:
    """Raises the revision; returns it with the new length, which the row in hand has too."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    statement = (
        f"UPDATE agents_agentsession SET revision = revision + 1, {length}, updated_at = %s"  # noqa: S608
        " WHERE id = %s RETURNING revision, length"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, now, session.pk])
        found: tuple[Any, ...] = cursor.fetchone()
    session.revision, session.length = found
    return session.revision, session.length
