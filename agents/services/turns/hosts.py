"""What a host does with turns: claims one, takes one up after a crash, releases and ends it."""

from __future__ import annotations

import json
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from agents.delivery import dispatch
from agents.domain.content.leases import Lease
from agents.domain.content.messages import Counters, MessageError, Role, StopReason
from agents.domain.content.parts import Part, ToolPart
from agents.domain.content.remembered import Memory
from agents.domain.content.transcript import settle
from agents.domain.content.turn_texts import turn_text
from agents.domain.content.turns import MAX_ATTEMPTS, ClaimedTurn, OpenCall, parts_after_crash
from agents.models import AgentSession, Channel, Message, Turn
from agents.selectors.conversation.turns import LAPSED
from agents.selectors.memory import memory_of
from agents.selectors.models.context_sizes import chosen_model
from agents.selectors.values import moment, saved_parts
from agents.services.channels.frames import (
    lock_channel,
    next_position,
    publish_message,
    publish_turn,
)
from agents.services.leases import LostTurn, give_lease, held_turn
from agents.services.memory import sessions
from agents.services.permissions.requests import cancel_requests
from agents.services.turns.compact_queue import queue_if_full
from agents.services.turns.journal import forget_growth, save_parts, settle_calls
from agents.services.turns.lost_access import why_lost
from workspaces.domain.places import Place


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
    turn = _whole().get(id=found[0])
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
) -> None:
    """Finishes the answer, frees the channel and starts what waits. Raises `LostTurn`."""
    turn = held_turn(lease)
    if stop_reason is StopReason.CANCELLED:
        sessions.roll_back(turn)
        error = error or why_lost(turn)
    settle_calls(turn)
    cancel_requests(turn)
    turn.state, turn.ended_at, turn.session = "ended", _now(), ""
    turn.save(update_fields=["state", "ended_at", "session"])
    answer = turn.answer
    if answer is not None:
        answer.agent = turn.agent
        answer.parts = [part.wire() for part in settle(parts, moment(_now()))]
        answer.done = True
        answer.stop_reason = stop_reason or ""
        answer.error = error.wire() if error else None
        if turn.is_answer:
            answer.counters = counters.model_copy(update={"steps": turn.steps}).wire()
        answer.save()
        forget_growth(answer.id)
        publish_message(answer)
    if turn.is_answer:
        Channel.objects.filter(id=turn.channel_id).update(last_agent=turn.agent)
        if stop_reason is not StopReason.CANCELLED and error is None:
            queue_if_full(turn)
    publish_turn(turn.channel_id)
    if Turn.objects.filter(channel=turn.channel_id, state="queued").exists():
        dispatch.turn_queued(turn.channel_id)


def _whole() -> QuerySet[Turn]:
    """Turns with everything of theirs that is one row."""
    return Turn.objects.select_related(
        "agent", "channel__workspace", "request__author", "starter", "answer__agent"
    )


def _begin(turn: Turn, host: str) -> ClaimedTurn:
    session = sessions.session_of(turn)
    memory = memory_of(session)
    request = turn.request
    if request is not None and request.queued:
        request.queued = False
        request.save(update_fields=["queued"])
        publish_message(request)
    turn.answer = _empty_message(turn)
    if turn.is_answer and not turn.unread:
        memory = _with_request(turn, session, memory)
    turn.state, turn.started_at = "running", _now()
    give_lease(turn, host)
    turn.save()
    if turn.answer is not None:
        publish_message(turn.answer)
    publish_turn(turn.channel_id)
    return claimed(turn, session, memory)


def _empty_message(turn: Turn) -> Message | None:
    """Begins what the turn writes; also of a kind that only says that it is not known."""
    if turn.kind == "compact":
        return None
    if turn.kind == "command":
        return _open_card(turn)
    return Message.objects.create(
        channel=turn.channel,
        position=next_position(turn.channel_id),
        role=Role.AGENT,
        agent=turn.agent,
        done=False,
    )


def _with_request(turn: Turn, session: AgentSession, memory: Memory) -> Memory:
    if not turn.continues:
        text = sessions.request_text(session, turn)
        memory = sessions.add_request(session, turn, text, memory)
        sessions.mark_seen(turn)
    elif not memory.messages or memory.messages[-1].role == "assistant":
        text = turn_text("continue", settings.LANGUAGE_CODE)
        memory = sessions.add_request(session, turn, text, memory)
    return memory


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


def claimed(
    turn: Turn,
    session: AgentSession | None = None,
    memory: Memory | None = None,
) -> ClaimedTurn:
    """Returns everything its host must know of a turn that it holds.

    Its session, and what that holds, are read where the caller does not have them.
    """
    session = session or sessions.session_of(turn)
    workspace = turn.channel.workspace
    answer = turn.answer
    calls = turn.calls.filter(step=turn.steps) if turn.steps else ()
    return ClaimedTurn(
        lease=Lease(turn.id, turn.lease),
        channel=turn.channel_id,
        agent=turn.agent.name,
        agent_kind=turn.agent.kind,
        kind=turn.kind,
        argument=turn.argument,
        place=Place(
            workspace=workspace.id,
            workspace_number=workspace.number,
            user=turn.starter_id or 0,
            network=workspace.network,  # type: ignore[arg-type]  # choices of the column
        ),
        starter_language=(turn.starter.language if turn.starter else "") or turn.language,
        answer=answer.id if answer else "",
        parts=saved_parts(answer) if answer else (),
        session=session.pk,
        memory=memory_of(session) if memory is None else memory,
        calls=tuple(
            OpenCall(c.call_id, c.name, c.input, c.part_index, c.state, c.result) for c in calls
        ),
        steps=turn.steps,
        unread=turn.unread,
        start_context=session.start_context,
        pending=tuple(session.pending_context),
        model=chosen_model(turn.channel_id, turn.agent.name),
        session_model=session.model,
        toolset=turn.agent.toolset,
        cancel_asked=turn.cancel_asked,
        given_up=turn.attempts > MAX_ATTEMPTS,
    )


def _now() -> datetime:
    return timezone.now()


def _open_card(turn: Turn) -> Message | None:
    """Adds a pending card to the request, which is the turn's answer too; the caller publishes."""
    row = turn.request
    if row is None:
        return None
    card = ToolPart(
        id=turn.id,
        name="!",
        title=" ".join(turn.argument.split())[:200],
        kind="execute",
        input=json.dumps({"command": turn.argument}, ensure_ascii=False),
    )
    row.parts = [*row.parts[:1], card.wire()]
    row.done = False
    row.save(update_fields=["parts", "done"])
    turn.committed_parts = len(row.parts)
    return row
