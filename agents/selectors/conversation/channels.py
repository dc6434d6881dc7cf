"""Channels as one person sees them; every road to a channel passes `channel_for`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from agents.domain.content.messages import ChannelInfo
from agents.models import Channel, ChannelAgent, ChannelRead, Message, PermissionRequest, Turn
from agents.selectors.values import moment
from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.fixed import Fixed
from workspaces.domain.places import Role, WorkspaceAccess
from workspaces.models import Membership
from workspaces.selectors import ACCESS, access_of, memberships_of, workspaces_of

_COLUMNS = (
    "id",
    "workspace_id",
    "name",
    "description",
    "direct_agent__name",
    "last_activity",
    "unread",
)
CHANNEL = "workspace__channels"
"""The way from a membership to the channels that are seen through it."""
_RANK = {"viewer": 0, "editor": 1, "owner": 2}


@dataclass(frozen=True, slots=True)
class ChannelAccess:
    """A channel as one person reaches it."""

    id: str
    workspace: WorkspaceAccess
    user: int
    direct: str | None

    @property
    def role(self) -> Role:
        """The person's role in the channel's workspace."""
        return self.workspace.role

    def require(self, at_least: Role) -> None:
        """Raises `NotAllowed` when their role is lower."""
        if _RANK[self.role] < _RANK[at_least]:
            raise NotAllowed(_("Your role in this workspace does not allow this."), role=self.role)


@dataclass(frozen=True, slots=True)
class ChannelNow:
    """The number of a channel's last durable frame, and the answer that is written now."""

    seq: int
    answer: str | None = None
    lease: int | None = None


def channel_for(user_id: int, channel_id: str, at_least: Role = "viewer") -> ChannelAccess:
    """Returns the channel if this person may see it.

    Raises `NotFound` when it is not there or not theirs, `NotAllowed` when their role is lower.
    """
    row = _ACCESS.first(user_id, channel_id)
    if row is None:
        raise NotFound(_("There is no such conversation."))
    *reached, direct = row
    access = ChannelAccess(channel_id, access_of(reached), user_id, direct)
    access.require(at_least)
    return access


def channel_now(user_id: int, channel_id: str) -> ChannelNow:
    """Returns how far a channel is if this person may see it, in one query; raises `NotFound`."""
    now = _NOW.first(user_id, channel_id)
    if now is None:
        raise NotFound(_("There is no such conversation."))
    return ChannelNow(*now)


def _now(user_id: int, channel_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    running = Turn.objects.filter(channel=channel_id, state="running")
    row = through(user_id, channel_id).annotate(
        seq=F(f"{CHANNEL}__seq"),
        answer=Subquery(running.values("answer")[:1]),
        lease=Subquery(running.values("lease")[:1]),
    )
    return row.values_list("seq", "answer", "lease")


_NOW = Fixed(_now)


def through(user_id: int, channel_id: str) -> QuerySet[Membership]:
    """Returns the membership through which this person sees a channel, if they do."""
    theirs = Q(**{f"{CHANNEL}__direct_user": None}) | Q(**{f"{CHANNEL}__direct_user": user_id})
    return memberships_of(user_id).filter(theirs, **{CHANNEL: channel_id})


def _access(user_id: int, channel_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    return through(user_id, channel_id).values_list(*ACCESS, f"{CHANNEL}__direct_agent__name")


_ACCESS = Fixed(_access)


def channels_of(
    user_id: int, workspaces: Iterable[WorkspaceAccess] | None = None
) -> tuple[ChannelInfo, ...]:
    """Returns every channel and direct conversation of this person, oldest first.

    `workspaces` are theirs, where the caller has just read them.
    """
    theirs = workspaces_of(user_id) if workspaces is None else workspaces
    reached = {workspace.id: workspace for workspace in theirs}
    rows = (
        Channel.objects.filter(workspace_id__in=reached)
        .filter(Q(direct_user=None) | Q(direct_user=user_id))
        .order_by("id")
    )
    return _infos(rows, user_id, reached)


def channel_info(access: ChannelAccess) -> ChannelInfo:
    """Returns one channel as the sidebar shows it."""
    rows = Channel.objects.filter(id=access.id)
    return _infos(rows, access.user, {access.workspace.id: access.workspace})[0]


def audience(channel_id: str) -> tuple[str, int | None]:
    """Returns the workspace of a channel, and the one person of a direct conversation."""
    row = Channel.objects.values_list("workspace_id", "direct_user_id").get(id=channel_id)
    return row[0], row[1]


def _infos(
    rows: QuerySet[Channel], user_id: int, reached: dict[str, WorkspaceAccess]
) -> tuple[ChannelInfo, ...]:
    annotated = rows.annotate(
        read_position=Subquery(
            ChannelRead.objects.filter(channel=OuterRef("pk"), user=user_id).values("position")[:1]
        ),
        unread=Coalesce(_unread(user_id), 0),
    )
    channels = list(annotated.values_list(*_COLUMNS, named=True))
    ids = [channel.id for channel in channels]
    busy = set(
        Turn.objects.filter(channel__in=ids, state="running").values_list("channel", flat=True)
    )
    members: defaultdict[str, list[str]] = defaultdict(list)
    for channel, name in ChannelAgent.objects.filter(channel__in=ids).values_list(
        "channel", "agent__name"
    ):
        members[channel].append(name)
    waiting = _waiting(ids)
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
            for_me=_for_me(waiting[channel.id], user_id, reached[channel.workspace_id]),
            may_answer=may_answer_all(reached[channel.workspace_id]),
            unread=channel.unread,
            last_activity=moment(channel.last_activity),
        )
        for channel in channels
    )


def _unread(user_id: int) -> Subquery:
    """Counts by the index alone: joined and grouped, each of 10 000 messages would be read."""
    return Subquery(
        Message.objects.filter(
            channel=OuterRef("pk"),
            role__in=("agent", "user"),
            position__gt=Coalesce(OuterRef("read_position"), 0),
        )
        .exclude(author=user_id)
        .order_by()
        .values("channel")
        .annotate(count=Count("*"))
        .values("count")
    )


def may_answer_all(workspace: WorkspaceAccess) -> bool:
    """Returns whether this person may answer requests that others' messages caused."""
    editor = workspace.role == "editor" and workspace.editors_answer
    return workspace.role == "owner" or editor


def _waiting(ids: list[str]) -> defaultdict[str, list[int | None]]:
    """Returns whose turns wait for an answer, by channel."""
    found: defaultdict[str, list[int | None]] = defaultdict(list)
    rows = PermissionRequest.objects.filter(channel__in=ids, state="pending").order_by()
    for channel, starter in rows.values_list("channel", "turn__starter"):
        found[channel].append(starter)
    return found


def _for_me(starters: list[int | None], user_id: int, workspace: WorkspaceAccess) -> int:
    if may_answer_all(workspace):
        return len(starters)
    return 0 if workspace.role == "viewer" else starters.count(user_id)
