"""Lists of channels: all that one person sees, or what changed in one channel for everybody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import (
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from agents.domain.content.messages import MOST_UNREAD, Arrival, ChannelEntry, ChannelInfo
from agents.models import Channel, ChannelAgent, ChannelRead, Message, PermissionRequest, Turn
from agents.protocol.frames import ChannelChanged, WorkspaceInfo
from agents.protocol.lists import for_me
from agents.selectors.conversation.channels import may_answer_all
from agents.selectors.values import moment
from maia_web.lib.fixed import Fixed
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import workspaces_of

_COLUMNS = (
    "id",
    "workspace_id",
    "name",
    "description",
    "direct_agent__name",
    "last_activity",
    "last_position",
)
_COUNTS = ("agent", "user")
"""Who must have said something for it to count as unread."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a channel, and to whom: all of a workspace, or one person alone."""

    workspace: str
    person: int | None
    frame: ChannelChanged


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """What everybody sees alike: the agents, and whose messages caused the requests that wait."""

    members: tuple[str, ...]
    starters: tuple[int, ...]


class CountOf(Subquery):
    """How many rows a query gives; one that is cut short is not counted further."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def channels_of(
    user_id: int, workspaces: Iterable[WorkspaceAccess] | None = None
) -> tuple[ChannelInfo, ...]:
    """Returns every channel and direct conversation of this person, oldest first.

    `workspaces` are theirs, where the caller has just read them.
    """
    theirs = workspaces_of(user_id) if workspaces is None else workspaces
    reached = {workspace.id: workspace_info(workspace) for workspace in theirs}
    rows = (
        Channel.objects.filter(workspace_id__in=reached)
        .filter(Q(direct_user=None) | Q(direct_user=user_id))
        .order_by("id")
    )
    return _infos(rows, user_id, reached)


def workspace_info(workspace: WorkspaceAccess) -> WorkspaceInfo:
    """Returns a workspace as one person reaches it."""
    return WorkspaceInfo(
        id=workspace.id,
        name=workspace.name,
        role=workspace.role,
        personal=workspace.personal,
        may_answer=may_answer_all(workspace),
    )


def channel_changed(channel_id: str, since: int | None) -> Told | None:
    """Returns what is to be told of a channel to those who know it up to position `since`.

    `since` None: without what arrived. Returns None if it is not there any more. Nobody's rights
    are looked at: they are the reader's affair.
    """
    row = _CHANGED.first(channel_id)
    if row is None:
        return None
    workspace, name, description, direct, person, position, activity, busy, waits = row
    shared = shared_facts(channel_id, waits=waits)
    entry = ChannelEntry(
        id=channel_id,
        workspace=workspace,
        name=name,
        description=description,
        direct=direct,
        members=shared.members,
        busy=busy,
        waiting=shared.starters,
        last_activity=moment(activity),
    )
    begins = position if since is None else since
    rows = _ARRIVALS.rows(channel_id, begins, position) if position > begins else []
    arrivals = tuple(Arrival(position=at, author=author) for at, author in rows)
    frame = ChannelChanged(channel=entry, position=position, arrivals=arrivals)
    return Told(workspace, person, frame)


def shared_facts(channel_id: str, *, waits: bool) -> SharedFacts:
    """Returns what everybody who sees a channel sees alike."""
    members = tuple(name for (name,) in _MEMBERS.rows(channel_id))
    rows = _STARTERS.rows(channel_id) if waits else ()
    return SharedFacts(members, tuple(starter or 0 for (starter,) in rows))


def unread_in(channel_id: str, people: Collection[int]) -> dict[int, tuple[int, int]]:
    """Returns, for each of these people, up to where a channel goes and how much is unread of it.

    One question however many they are; empty if the channel is not there any more.
    """
    channel = Channel.objects.filter(id=channel_id)
    read = ChannelRead.objects.filter(channel=channel_id, user=OuterRef("pk")).values("position")
    rows = (
        get_user_model()
        .objects.filter(pk__in=people)
        .annotate(
            goes=Subquery(channel.values("last_position")),
            read=Coalesce(Subquery(read[:1]), 0),
            unread=unread_after(Value(channel_id), OuterRef("pk")),
        )
    )
    found = rows.values_list("pk", "goes", "unread")
    return {person: (goes, unread) for person, goes, unread in found if goes is not None}


def _changed(channel_id: str) -> QuerySet[Channel, tuple[Any, ...]]:
    asking = PermissionRequest.objects.filter(channel=channel_id, state="pending")
    running = Turn.objects.filter(channel=channel_id, state="running")
    rows = Channel.objects.filter(id=channel_id).annotate(
        busy=Exists(running), waits=Exists(asking)
    )
    return rows.values_list(
        "workspace_id",
        "name",
        "description",
        "direct_agent__name",
        "direct_user_id",
        "last_position",
        "last_activity",
        "busy",
        "waits",
    )


def _members(channel_id: str) -> QuerySet[ChannelAgent, tuple[Any, ...]]:
    return ChannelAgent.objects.filter(channel=channel_id).values_list("agent__name")


def _starters(channel_id: str) -> QuerySet[PermissionRequest, tuple[Any, ...]]:
    rows = PermissionRequest.objects.filter(channel=channel_id, state="pending").order_by()
    return rows.values_list("turn__starter")


def _arrivals(channel_id: str, since: int, until: int) -> QuerySet[Message, tuple[Any, ...]]:
    rows = Message.objects.filter(channel=channel_id, role__in=_COUNTS)
    return rows.filter(position__gt=since, position__lte=until).values_list("position", "author")


_CHANGED = Fixed(_changed)
_MEMBERS = Fixed(_members)
_STARTERS = Fixed(_starters)
_ARRIVALS = Fixed(_arrivals)


def _infos(
    rows: QuerySet[Channel], user_id: int, reached: dict[str, WorkspaceInfo]
) -> tuple[ChannelInfo, ...]:
    marks = ChannelRead.objects.filter(channel=OuterRef("pk"), user=user_id).values("position")
    annotated = rows.annotate(
        read=Coalesce(Subquery(marks[:1]), 0), unread=unread_after(OuterRef("pk"), Value(user_id))
    )
    channels = list(annotated.values_list(*_COLUMNS, "unread", named=True))
    here = rows.order_by().values("pk")  # thousands of ids would be written out one by one
    busy = set(
        Turn.objects.filter(channel__in=here, state="running").values_list("channel", flat=True)
    )
    members: defaultdict[str, list[str]] = defaultdict(list)
    agents = ChannelAgent.objects.filter(channel__in=here).values_list("channel", "agent__name")
    for channel, name in agents:
        members[channel].append(name)
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    asking = PermissionRequest.objects.filter(channel__in=here, state="pending").order_by()
    for channel, starter in asking.values_list("channel", "turn__starter"):
        waiting[channel].append(starter or 0)
    return tuple(
        ChannelInfo(
            id=channel.id,
            workspace=channel.workspace_id,
            name=channel.name,
            description=channel.description,
            direct=channel.direct_agent__name,
            members=tuple(members[channel.id]),
            role=reached[channel.workspace_id].role,
            busy=channel.id in busy,
            waiting=len(waiting[channel.id]),
            for_me=for_me(waiting[channel.id], reached[channel.workspace_id], user_id),
            may_answer=reached[channel.workspace_id].may_answer,
            unread=channel.unread,
            position=channel.last_position,
            last_activity=moment(channel.last_activity),
        )
        for channel in channels
    )


def unread_after(channel: Any, user: Any) -> CountOf:
    """Counts by the index alone, and to 100, what others said after the position `read`."""
    return CountOf(
        Message.objects.filter(channel=channel, role__in=_COUNTS, position__gt=OuterRef("read"))
        .exclude(author=user)
        .order_by()
        .values("position")[:MOST_UNREAD]
    )
