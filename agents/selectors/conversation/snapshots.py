"""A conversation: the snapshot of a channel, and its older messages by 100."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any, Literal

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from agents.domain.content import messages as values
from agents.domain.content.cards import weight
from agents.domain.content.parts import ToolPart
from agents.domain.rules.requests import PermissionRequest as Request
from agents.models import AgentSession, Message, PermissionRequest, Turn
from agents.protocol.commands import LARGEST
from agents.protocol.frames import Answering, ChannelSnapshot, Usage
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.selectors.conversation.lists import SharedFacts, shared_facts
from agents.selectors.conversation.opened_channels import OpenedChannel, open_channel
from agents.selectors.models.context_sizes import context_size
from agents.selectors.values import (
    ROW,
    message_row,
    moment,
    person_value,
    request_value,
    row_value,
    saved_parts,
)
from maia_web.lib.errors import NotFound
from maia_web.lib.fixed import Fixed
from workspaces.selectors import first_members

Waits = Literal["model", "tool", "permission", "summary"]
_FIRST: dict[str, Waits] = {"command": "tool", "compact": "summary"}
PAGE = 100
PAGE_WEIGHT = 160 * 1024
"""About how many characters of messages one page holds, unless a single one has more."""
READ = 20
"""So many messages are read at once, before it is known how large they are."""


def snapshot(user_id: int, channel_id: str) -> ChannelSnapshot:
    """Returns the full state of a channel: the last messages and everything that is open.

    Raises `NotFound` unless this person may see it.
    """
    return _snapshot(open_channel(user_id, channel_id))[0]


def snapshots(channel_id: str, people: Sequence[int]) -> dict[int, ChannelSnapshot]:
    """Returns the state of a channel for each of these people who may see it.

    The rights of each are read first; what all of them see alike is read once.
    """
    reached = []
    for person in people:
        with suppress(NotFound):
            reached.append(open_channel(person, channel_id))
    if not reached:
        return {}
    first, *others = reached
    state, shared = _snapshot(first)
    theirs = {
        one.access.user: state.model_copy(update={"channel": one.info(shared)}) for one in others
    }
    return {first.access.user: state, **theirs}


def _snapshot(opened: OpenedChannel) -> tuple[ChannelSnapshot, SharedFacts]:
    channel = opened.access.id
    messages, more = page(channel, before=None)
    shared = shared_facts(channel, waits=opened.waits)
    answering = _answering(channel) if opened.busy else None
    pending = _pending(channel) if shared.starters else ()
    state = ChannelSnapshot(
        channel=opened.info(shared),
        seq=opened.seq,
        messages=messages,
        more=more,
        busy=answering is not None,
        queued=opened.queued,
        answering=answering,
        usage=_usage(channel),
        permissions=(*_answered(messages), *pending),
        people=_people(opened),
        people_count=1 if opened.access.direct else opened.members,
    )
    return state, shared


def older_messages(
    user_id: int, channel_id: str, before: int
) -> tuple[tuple[values.Message, ...], bool]:
    """Returns the messages before a position as `page` does, if this person may see them."""
    return page(channel_for(user_id, channel_id).id, before=before)


def page(channel_id: str, *, before: int | None) -> tuple[tuple[values.Message, ...], bool]:
    """Returns the messages before a position (or the last ones), and whether more exist.

    At most 100, and fewer where they are large; never none while there are any.
    """
    found: list[values.Message] = []
    room = PAGE_WEIGHT
    until = LARGEST if before is None else before
    with closing(_PAGE.each(channel_id, until, size=READ)) as rows:
        for row in rows:
            message = row_value(message_row(row))
            room -= weight(message)
            if found and (room < 0 or len(found) == PAGE):
                return tuple(reversed(found)), True
            found.append(message)
    return tuple(reversed(found)), False


def _page(channel_id: str, before: int) -> QuerySet[Message, tuple[Any, ...]]:
    rows = Message.objects.filter(channel=channel_id, position__lt=before).order_by("-position")
    return rows.values_list(*ROW)[: PAGE + 1]


_PAGE = Fixed(_page)


def whole_call(access: ChannelAccess, message_id: str, call_id: str) -> ToolPart:
    """Returns one tool call of a message with all of its input, output and diffs.

    Raises `NotFound`.
    """
    row = Message.objects.filter(channel=access.id, id=message_id).first()
    for part in saved_parts(row) if row else ():
        if isinstance(part, ToolPart) and part.id == call_id:
            return part
    raise NotFound(_("There is no such call."))


def _answered(messages: tuple[values.Message, ...]) -> tuple[Request, ...]:
    """Returns the requests of these messages that are over; only cards of tools have any."""
    asking = [one.id for one in messages if any(isinstance(part, ToolPart) for part in one.parts)]
    if not asking:
        return ()
    rows = PermissionRequest.objects.filter(message__in=asking).exclude(state="pending")
    return tuple(request_value(row) for row in rows.select_related("answered_by", "proposed_by"))


def _pending(channel_id: str) -> tuple[Request, ...]:
    rows = PermissionRequest.objects.filter(channel=channel_id, state="pending").order_by("id")
    return tuple(request_value(row) for row in rows.select_related("answered_by", "proposed_by"))


def turn_state(channel_id: str) -> tuple[Answering | None, int]:
    """Returns who answers now, if anybody, and how many messages wait in the queue."""
    return _answering(channel_id), queued_in(channel_id)


def queued_in(channel_id: str) -> int:
    """Returns how many messages wait in a channel."""
    row = _QUEUED.first(channel_id)
    return row[0] if row else 0


def _queued(channel_id: str) -> QuerySet[Message, tuple[Any, ...]]:
    rows = Message.objects.filter(channel=channel_id, queued=True).order_by()
    return rows.values("channel").annotate(count=Count("*")).values_list("count")


_QUEUED = Fixed(_queued)


def _answering(channel_id: str) -> Answering | None:
    turn = (
        Turn.objects.filter(channel=channel_id, state="running")
        .select_related("agent", "starter")
        .first()
    )
    if turn is None or turn.started_at is None:
        return None
    return answering(turn, _waits_for(turn) if turn.is_answer else None)


def answering(turn: Turn, waits_for: Waits | None = None) -> Answering:
    """Returns who answers in a running turn (its agent and starter selected with it).

    `waits_for`: what it waits for; None: what its kind waits for at its beginning.
    """
    return Answering(
        agent=turn.agent.name,
        message_id=turn.answer_id,
        started_at=moment(turn.started_at or turn.created_at),
        waits_for=waits_for or _FIRST.get(turn.kind, "model"),
        starter=person_value(turn.starter) if turn.starter else None,
        command=turn.argument[:200] if turn.kind == "command" else None,
        lease=turn.lease,
    )


def _waits_for(turn: Turn) -> Waits:
    if PermissionRequest.objects.filter(turn=turn, state="pending").exists():
        return "permission"
    runs = turn.steps and turn.calls.filter(state="in_progress").exists()
    return "tool" if runs else "model"


def _usage(channel_id: str) -> dict[str, Usage]:
    return {
        name: Usage(used=used, size=context_size(channel_id, name))
        for name, used in _USED.rows(channel_id)
    }


def _used(channel_id: str) -> QuerySet[AgentSession, tuple[Any, ...]]:
    rows = AgentSession.objects.filter(channel=channel_id, current=True, context_used__gt=0)
    return rows.values_list("agent__name", "context_used")


_USED = Fixed(_used)


def _people(opened: OpenedChannel) -> tuple[values.Person, ...]:
    if opened.access.direct:
        return (opened.person,)
    return tuple(
        values.Person(id=member[0], username=member[1], name=member[2])
        for member in first_members(opened.access.workspace.id)
    )
