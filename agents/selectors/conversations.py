"""A conversation: the snapshot of a channel, and its older messages by 100."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from agents.domain import messages as values
from agents.models import AgentSession, Channel, Message, PermissionRequest, Turn
from agents.protocol.frames import Answering, ChannelSnapshot, Usage
from agents.selectors.channels import ChannelAccess, channel_info
from agents.selectors.context_sizes import context_size
from agents.selectors.values import message_value, moment, person_value, request_value
from workspaces.selectors import members_of

PAGE = 100


def snapshot(access: ChannelAccess) -> ChannelSnapshot:
    """Returns the full state of a channel: the last 100 messages and everything that is open."""
    seq = Channel.objects.values_list("seq", flat=True).get(id=access.id)
    messages, more = page(access, before=None)
    answering, queued = turn_state(access.id)
    requests = (
        PermissionRequest.objects.filter(channel=access.id, state="pending")
        .select_related("answered_by")
        .order_by("id")
    )
    shown = [message.id for message in messages]
    answered = (
        PermissionRequest.objects.filter(message__in=shown)
        .exclude(state="pending")
        .select_related("answered_by")
    )
    return ChannelSnapshot(
        channel=channel_info(access),
        seq=seq,
        messages=messages,
        more=more,
        busy=answering is not None,
        queued=queued,
        answering=answering,
        usage=_usage(access.id),
        permissions=tuple(request_value(row) for row in [*answered, *requests]),
        people=_people(access),
    )


def page(access: ChannelAccess, *, before: int | None) -> tuple[tuple[values.Message, ...], bool]:
    """Returns the 100 messages before a position (or the last ones), and whether more exist."""
    rows = Message.objects.filter(channel=access.id).select_related("author", "agent")
    if before is not None:
        rows = rows.filter(position__lt=before)
    found = list(rows.order_by("-position")[: PAGE + 1])
    return tuple(message_value(row) for row in reversed(found[:PAGE])), len(found) > PAGE


def turn_state(channel_id: str) -> tuple[Answering | None, int]:
    """Returns who answers now, if anybody, and how many messages wait in the queue."""
    queued = Message.objects.filter(channel=channel_id, queued=True).count()
    turn = (
        Turn.objects.filter(channel=channel_id, state="running")
        .select_related("agent", "starter")
        .first()
    )
    if turn is None or turn.started_at is None:
        return None, queued
    return (
        Answering(
            agent=turn.agent.name,
            message_id=turn.answer_id,
            started_at=moment(turn.started_at),
            waits_for=_waits_for(turn),
            starter=person_value(turn.starter) if turn.starter else None,
            command=turn.argument[:200] if turn.kind == "command" else None,
        ),
        queued,
    )


def _waits_for(turn: Turn) -> str:
    if turn.kind == "command":
        return "tool"
    if turn.kind == "compact":
        return "summary"
    if not turn.steps:
        return "model"  # nothing was asked for yet
    if PermissionRequest.objects.filter(turn=turn, state="pending").exists():
        return "permission"
    return "tool" if turn.calls.filter(state="in_progress").exists() else "model"


def _usage(channel_id: str) -> dict[str, Usage]:
    rows = AgentSession.objects.filter(channel=channel_id, current=True, context_used__gt=0)
    return {
        name: Usage(used=used, size=context_size(channel_id, name))
        for name, used in rows.values_list("agent__name", "context_used")
    }


def _people(access: ChannelAccess) -> tuple[values.Person, ...]:
    if access.direct:
        return (person_value(get_user_model().objects.get(pk=access.user)),)
    return tuple(
        values.Person(id=member[0], username=member[1], name=member[2])
        for member in members_of(access.workspace.id)
    )
