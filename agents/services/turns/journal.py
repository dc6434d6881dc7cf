"""Journal: each step of a turn, committed before the next begins."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import JSONField, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.utils import translation

from agents.domain.content.growth import Growth, Unsaved
from agents.domain.content.leases import Lease
from agents.domain.content.model_messages import (
    ModelMessage,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.domain.content.turn_texts import turn_text
from agents.models import AgentSession, AnswerGrowth, Message, ToolCall, Turn
from agents.selectors.memory import messages_of
from agents.services.channels.frames import publish_turn
from agents.services.leases import held_turn, held_turns
from agents.services.memory import sessions
from agents.services.memory.messages import append_message
from maia_web.lib.fixed import Fixed, FixedDelete, FixedInsert, FixedInsertFrom, FixedUpdate, Row


@dataclass(frozen=True, slots=True)
class NewCall:
    """A tool call the model just asked for."""

    call_id: str
    name: str
    input: dict[str, Any]
    part_index: int
    unreadable: str = ""


@transaction.atomic
def record_step(
    lease: Lease,
    message: ModelMessage,
    calls: tuple[NewCall, ...],
    parts: Unsaved,
    tokens: int | None = None,
) -> None:
    """The model answered: its message, its tool calls (pending) and the parts so far.

    `tokens`: of the message, where they are counted.
    """
    turn = held_turn(lease)
    turn.steps += 1
    _save_parts(turn, parts)
    _ADVANCE(turn.id, turn.steps, len(parts))
    append_message(sessions.session_of(turn), turn, message, tokens)
    if not calls:
        return
    ToolCall.objects.bulk_create(
        ToolCall(
            turn=turn,
            step=turn.steps,
            position=position,
            call_id=call.call_id,
            name=call.name,
            input=call.input,
            part_index=call.part_index,
            unreadable=call.unreadable,
        )
        for position, call in enumerate(calls)
    )


@transaction.atomic
def start_call(lease: Lease, call_id: str, parts: Unsaved) -> None:
    """The call begins to run; from now on it is never run again."""
    turn = held_turn(lease)
    turn.calls.filter(step=turn.steps, call_id=call_id).update(state="in_progress")
    _save_parts(turn, parts)
    publish_turn(turn.channel_id, lists=False)


@transaction.atomic
def finish_call(lease: Lease, call_id: str, result: ToolResultBlock, parts: Unsaved) -> None:
    """The call is over, or was refused."""
    turn = held_turn(lease)
    turn.calls.filter(step=turn.steps, call_id=call_id).update(
        state="finished", result=result.wire()
    )
    _save_parts(turn, parts)
    publish_turn(turn.channel_id, lists=False)


@transaction.atomic
def join_results(
    lease: Lease, message: ModelMessage, parts: Unsaved, tokens: int | None = None
) -> None:
    """All results of the step, as the user message the model reads next."""
    turn = held_turn(lease)
    _commit_parts(turn, parts)
    turn.save(update_fields=["committed_parts"])
    append_message(sessions.session_of(turn), turn, message, tokens)


@transaction.atomic
def save_progress(lease: Lease, parts: Unsaved, used: int | None = None) -> None:
    """Saves a streaming answer as far as it is now; nothing once the lease is lost.

    `used`: the tokens in the context of the turn's agent, where they changed.
    """
    if isinstance(parts, Growth):
        if parts.changes:
            _GROW(lease.turn, lease.number, json.dumps(_wire(parts)))
    else:
        row = _ANSWER.first(lease.turn, lease.number)
        if row is not None and row[0] is not None:
            save_parts(row[0], parts)
    if used is not None:
        save_context_of(lease, used)


def _answer(*lease: Any) -> QuerySet[Turn, Row]:
    """Whoever claims the turn meanwhile waits, or this does."""
    held = held_turns(Lease(*lease)).select_for_update(of=("self",))
    return held.values_list("answer")


def _growth(turn: str, number: int, changes: str) -> QuerySet[Turn, Row]:
    """The answer of a turn, locked as above, with what it grew by, as JSON."""
    written = Cast(Value(changes, output_field=TextField()), JSONField())
    held = held_turns(Lease(turn, number)).filter(answer__isnull=False)
    locked = held.select_for_update(of=("self",))
    return locked.annotate(changes=written).values_list("answer", "changes")


_ANSWER = Fixed(_answer)
_GROW = FixedInsertFrom(AnswerGrowth, ("answer", "changes"), _growth)
_ADD_GROWTH = FixedInsert(AnswerGrowth)


def _wire(growth: Growth) -> list[Any]:
    return [change.wire() for change in growth.changes]


def save_parts(answer_id: str, parts: Unsaved) -> None:
    """Saves an answer in a transaction that holds its turn; a finished one is left alone."""
    if isinstance(parts, Growth):
        if parts.changes:
            _ADD_GROWTH(AnswerGrowth(answer_id=answer_id, changes=_wire(parts)))
        return
    rows = Message.objects.filter(id=answer_id, done=False)
    rows.update(parts=[part.wire() for part in parts])
    forget_growth(answer_id)


def forget_growth(answer_id: str) -> None:
    """The parts of an answer were saved whole."""
    _FORGET_GROWTH(answer_id)


_FORGET_GROWTH = FixedDelete(lambda answer: AnswerGrowth.objects.filter(answer=answer))


def save_model(lease: Lease, model: str) -> None:
    """Notes which model the session talks to now, for its exported file (seed M §12.1)."""
    _MODEL(lease.turn, lease.number, model)


def save_context_of(lease: Lease, used: int) -> None:
    """Notes how many tokens the context of a turn's agent holds; nothing once the lease is lost."""
    _USED(lease.turn, lease.number, used)


def save_context_used(channel_id: str, agent: str, used: int) -> None:
    """Notes how many tokens the agent's context holds."""
    AgentSession.objects.filter(channel=channel_id, agent__name=agent, current=True).update(
        context_used=used
    )


def _session_of(lease: Lease) -> QuerySet[AgentSession]:
    """Returns the current session of a turn that is still held, as a query."""
    turn = held_turns(lease)
    return AgentSession.objects.filter(
        channel__in=turn.values("channel"), agent__in=turn.values("agent"), current=True
    )


def _advance(turn: str, steps: int, parts: int) -> tuple[QuerySet[Turn], dict[str, int]]:
    """It gets somewhere: earlier crashes are forgiven."""
    rows = Turn.objects.filter(id=turn)
    return rows, {"steps": steps, "attempts": 0, "committed_parts": parts}


_ADVANCE = FixedUpdate(_advance)
_MODEL = FixedUpdate(lambda *of: (_session_of(Lease(*of[:2])), {"model": of[2]}))
_USED = FixedUpdate(lambda *of: (_session_of(Lease(*of[:2])), {"context_used": of[2]}))


def _commit_parts(turn: Turn, parts: Unsaved) -> None:
    turn.committed_parts = len(parts)
    _save_parts(turn, parts)


def _save_parts(turn: Turn, parts: Unsaved) -> None:
    if turn.answer_id:
        save_parts(turn.answer_id, parts)


def settle_calls(turn: Turn, session: AgentSession) -> None:
    """Gives every open call of the last message a result: models refuse a memory without."""
    messages = messages_of(session)
    calls = tool_uses(messages[-1]) if messages else ()
    if not calls:
        return
    kept = dict(turn.calls.filter(step=turn.steps).values_list("call_id", "result"))
    results = tuple(
        ToolResultBlock.model_validate(kept[call.id]) if kept.get(call.id) else _interrupted(call)
        for call in calls
    )
    append_message(session, turn, ModelMessage(role="user", content=results))


def _interrupted(call: ToolUseBlock) -> ToolResultBlock:
    text = turn_text("interrupted", translation.get_language() or settings.LANGUAGE_CODE)
    return ToolResultBlock(tool_use_id=call.id, content=text, is_error=True)
