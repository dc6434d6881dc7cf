"""What a host does with turns: claims one, takes one up after a crash, releases and ends it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from agents.delivery import dispatch
from agents.domain.content.leases import Lease
from agents.domain.content.messages import Counters, MessageError, StopReason
from agents.domain.content.parts import Part
from agents.domain.content.transcript import settle
from agents.domain.content.turns import ClaimedTurn, parts_after_crash
from agents.models import AgentSession, Channel, Message, Turn
from agents.selectors.conversation.turns import LAPSED
from agents.selectors.values import moment, saved_parts
from agents.services.channels.frames import (
    Numbers,
    lock_channel,
    next_seq,
    publish_message,
    publish_numbered,
    publish_over,
    publish_turn,
)
from agents.services.leases import LostTurn, give_lease, held_turn
from agents.services.memory import sessions
from agents.services.permissions.requests import cancel_requests
from agents.services.turns.beginning import (
    begin,
    claimed,
    empty_answer,
    makes_message,
    writes_message,
)
from agents.services.turns.compact_queue import queue_if_full
from agents.services.turns.journal import forget_growth, save_parts, settle_calls
from agents.services.turns.lost_access import why_lost
from maia_web.lib.fixed import Fixed, FixedSave, FixedUpdate, instance


@transaction.atomic
def claim_turn(
    channel_id: str, host: str, dead: frozenset[str] = frozenset()
) -> ClaimedTurn | None:
    """Claims the next turn of a channel, or takes up a running one that lost its host.

    `dead`: names of hosts that are known to have ended. Returns None when nothing waits or somebody
    else was first.
    """
    try:
        lock_channel(channel_id)
    except Channel.DoesNotExist:
        return None
    open_turns = Turn.objects.filter(channel=channel_id, state__in=("running", "queued"))
    in_order = open_turns.order_by("-state", F("request__position").asc(nulls_first=True), "id")
    found = in_order.values_list("id", flat=True)[:1]
    if not found:
        return None
    turn = whole().get(id=found[0])
    if turn.state == "queued":
        return _begin(turn, host)
    lost = turn.host in dead or Turn.objects.filter(LAPSED, id=turn.id).exists()
    return _take_up(turn, host) if lost else None


@transaction.atomic
def release_turn(lease: Lease, parts: tuple[Part, ...]) -> None:
    """Gives a running turn back as far as it has come; what another host has is left alone."""
    try:
        turn = held_turn(lease)
    except LostTurn:
        return
    turn.host, turn.lease, turn.lease_until = "", turn.lease + 1, None
    turn.save(update_fields=["host", "lease", "lease_until"])
    if turn.answer_id:
        save_parts(turn.answer_id, parts)
    dispatch.hint_on_commit("channel", turn.channel_id)


@transaction.atomic
def end_turn(
    lease: Lease,
    *,
    parts: tuple[Part, ...],
    counters: Counters,
    stop_reason: StopReason | None,
    error: MessageError | None,
    used: int | None = None,
) -> bool:
    """Finishes the answer, frees the channel and starts what waits; returns whether anything does.

    `used`: the tokens in the context of the turn's agent, where they were measured. Raises
    `LostTurn`.
    """
    turn = held_turn(lease)
    if stop_reason is StopReason.CANCELLED:
        sessions.roll_back(turn)
        error = error or why_lost(turn)
    session = sessions.session_of(turn)
    if used is not None and used != session.context_used:
        session.context_used = used
        _SAVE_USED(session)
    settle_calls(turn, session)
    cancel_requests(turn)
    turn.state, turn.ended_at, turn.session = "ended", _now(), ""
    _SAVE_END(turn)
    answer = _answer_of(turn)
    last_seq = next_seq(turn.channel_id, 1 if answer is None else 2)
    if answer is not None:
        answer.agent = turn.agent
        answer.parts = [part.wire() for part in settle(parts, moment(_now()))]
        answer.done = True
        answer.stop_reason = stop_reason or ""
        answer.error = error.wire() if error else None
        if turn.is_answer:
            answer.counters = counters.model_copy(update={"steps": turn.steps}).wire()
        _SAVE_ANSWER(answer)
        forget_growth(answer.id)
        publish_numbered(answer, last_seq - 1)
    if turn.is_answer:
        _LAST_AGENT(turn.channel_id, turn.agent_id)
        if stop_reason is not StopReason.CANCELLED and error is None:
            queue_if_full(turn, session)
    publish_over(turn.channel_id, last_seq)
    waits = _QUEUED.first(turn.channel_id) is not None
    if waits:
        dispatch.turn_queued(turn.channel_id)
    return waits


def _answer_of(turn: Turn) -> Message | None:
    found = _ANSWER.first(turn.answer_id) if turn.answer_id else None
    return None if found is None else instance(Message, _COLUMNS, found)


def _last_agent(channel: str, agent: int) -> tuple[QuerySet[Channel], dict[str, int]]:
    return Channel.objects.filter(id=channel), {"last_agent": agent}


_COLUMNS = tuple(field.attname for field in Message._meta.concrete_fields)
_ANSWER = Fixed(lambda answer: Message.objects.filter(id=answer).values_list(*_COLUMNS))
_LAST_AGENT = FixedUpdate(_last_agent)
_SAVE_END = FixedSave(Turn, "state", "ended_at", "session")
_SAVE_USED = FixedSave(AgentSession, "context_used")
_SAVE_ANSWER = FixedSave(Message, "agent", "parts", "done", "stop_reason", "error", "counters")
_QUEUED = Fixed(
    lambda channel: Turn.objects.filter(channel=channel, state="queued").values_list("id")[:1]
)


def whole() -> QuerySet[Turn]:
    """Turns with everything of theirs that is one row."""
    return Turn.objects.select_related(
        "agent", "channel__workspace", "request__author", "starter", "answer__agent"
    )


def _begin(turn: Turn, host: str) -> ClaimedTurn:
    """Begins a turn that waited."""
    request = turn.request
    waited = request is not None and request.queued
    numbers = Numbers(
        turn.channel_id,
        frames=waited + writes_message(turn) + 1,
        messages=int(makes_message(turn)),
    )
    if request is not None and waited:
        request.queued = False
        request.save(update_fields=["queued"])
        publish_numbered(request, numbers.next_seq())
    if makes_message(turn):
        turn.answer = empty_answer(turn, numbers.next_position())
        turn.answer.save()
    here = sessions.here(turn)
    queued = Message.objects.filter(channel=turn.channel_id, queued=True).count()
    return begin(turn, host, here, numbers, queued)


def _take_up(turn: Turn, host: str) -> ClaimedTurn:
    # A host that left in good order, or a person who takes their time, is no failed attempt.
    if turn.host and not turn.requests.filter(state="pending").exists():
        turn.attempts += 1
    give_lease(turn, host)
    turn.save(update_fields=["host", "lease", "lease_until", "attempts"])
    if turn.answer is not None:
        save_parts(
            turn.answer.id, parts_after_crash(saved_parts(turn.answer), turn.committed_parts)
        )
        publish_message(turn.answer)
    publish_turn(turn.channel_id, lists=False)
    return claimed(turn)


def _now() -> datetime:
    return timezone.now()
