"""Memories: what agents have in mind, kept by this process and brought up to date by what changed.

A memory is used only after its session was read from the database, whose revision says whether it
is still true.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from threading import Lock

from django.db import models, transaction

from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.remembered import Change, Memory
from agents.models import AgentSession, SessionMessage
from maia_web.lib.fixed import Fixed, Row

MOST = 40_000
"""Weight (`Memory.weight`) of all memories of a process; what was not used longest goes first."""


class Memories:
    """The memories of sessions by their keys, as they were committed; of use to all threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[int, Memory] = OrderedDict()
        self._weight = 0

    def of(self, session_id: int) -> Memory | None:
        """Returns what was kept last."""
        with self._lock:
            memory = self._kept.get(session_id)
            if memory is not None:
                self._kept.move_to_end(session_id)
            return memory

    def clear(self) -> None:
        """Forgets all: what is known was read from another database."""
        with self._lock:
            self._kept.clear()
            self._weight = 0

    def keep(self, session_id: int, memory: Memory) -> None:
        """Keeps a memory that is committed, unless a later one is known."""
        with self._lock:
            known = self._kept.get(session_id)
            if known is not None and known.revision > memory.revision:
                return
            self._weight += memory.weight - (known.weight if known else 0)
            self._kept[session_id] = memory
            self._kept.move_to_end(session_id)
            while self._weight > self._most and self._kept:
                _oldest, gone = self._kept.popitem(last=False)
                self._weight -= gone.weight


MEMORIES = Memories()
"""Those of this process."""


def memory_of(session: AgentSession) -> Memory:
    """Returns what a session holds; `session` is as the database has it in this moment.

    Only what changed since it was last read here is read.
    """
    known = MEMORIES.of(session.pk)
    if known is not None and known.revision == session.revision:
        return known
    memory = _since(session, known) if known and known.revision < session.revision else None
    memory = memory or _whole(session)
    # what this transaction wrote itself may yet be taken back
    transaction.on_commit(partial(MEMORIES.keep, session.pk, memory))
    return memory


def messages_of(session: AgentSession) -> tuple[ModelMessage, ...]:
    """Returns the session's messages in order."""
    return memory_of(session).messages


def _since(session: AgentSession, known: Memory) -> Memory | None:
    rows = _CHANGES.rows(session.pk, known.revision)
    # a session that changes while it is read says so in the rows themselves
    revision, length = rows[0][3:] if rows else (session.revision, session.length)
    return known.after(map(_change, rows), length, revision)


def _whole(session: AgentSession) -> Memory:
    if not session.revision:  # nobody ever said anything in it
        return Memory(revision=0, messages=(), counts=())
    rows = _CHANGES.rows(session.pk, -1)
    changes = [_change(row) for row in rows]
    return Memory(
        revision=rows[0][3] if rows else session.revision,
        messages=tuple(change.message for change in changes),
        counts=tuple(change.tokens for change in changes),
    )


def _change(row: Row) -> Change:
    position, content, tokens, _revision, _length = row
    return Change(position, ModelMessage.model_validate(content), tokens)


def _changes(session_id: int, revision: int) -> models.QuerySet[SessionMessage, Row]:
    rows = SessionMessage.objects.filter(session=session_id, revision__gt=revision)
    return rows.order_by("position").values_list(
        "position", "content", "tokens", "session__revision", "session__length"
    )


_CHANGES = Fixed(_changes)
