"""Opened channels: rights, channel and state as one person sees them, in one joined question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from agents.domain.content.messages import ChannelInfo, Person
from agents.models import ChannelRead, Message, PermissionRequest, Turn
from agents.protocol.lists import for_me
from agents.selectors.conversation.channels import CHANNEL, ChannelAccess, through
from agents.selectors.conversation.lists import (
    CountOf,
    SharedFacts,
    shared_facts,
    unread_after,
    workspace_info,
)
from agents.selectors.values import moment
from maia_web.lib.errors import NotFound
from maia_web.lib.fixed import Fixed
from workspaces.models import Membership
from workspaces.selectors import ACCESS, access_of


@dataclass(frozen=True, slots=True)
class OpenedChannel:
    """A channel as one person reaches it, and how it stands.

    `waits`: whether requests wait; `members`: how many people its workspace has. `seq` was read no
    later than all else.
    """

    access: ChannelAccess
    person: Person
    name: str
    description: str
    last_activity: datetime
    position: int
    unread: int
    seq: int
    queued: int
    busy: bool
    waits: bool
    members: int

    def info(self, shared: SharedFacts) -> ChannelInfo:
        """Returns the channel as the sidebar shows it to this person."""
        workspace = workspace_info(self.access.workspace)
        return ChannelInfo(
            id=self.access.id,
            workspace=workspace.id,
            name=self.name,
            description=self.description,
            direct=self.access.direct,
            members=shared.members,
            role=workspace.role,
            busy=self.busy,
            waiting=len(shared.starters),
            for_me=for_me(shared.starters, workspace, self.access.user),
            may_answer=workspace.may_answer,
            unread=self.unread,
            position=self.position,
            last_activity=moment(self.last_activity),
        )


def open_channel(user_id: int, channel_id: str) -> OpenedChannel:
    """Returns a channel if this person may see it; raises `NotFound`."""
    row = _OPENED.first(user_id, channel_id)
    if row is None:
        raise NotFound(_("There is no such conversation."))
    reached, (username, shown, direct, *facts) = row[: len(ACCESS)], row[len(ACCESS) :]
    access = ChannelAccess(channel_id, access_of(reached), user_id, direct)
    return OpenedChannel(
        access, Person(id=user_id, username=username, name=shown or username), *facts
    )


def channel_info(user_id: int, channel_id: str) -> ChannelInfo:
    """Returns one channel as the sidebar shows it; raises `NotFound`."""
    opened = open_channel(user_id, channel_id)
    return opened.info(shared_facts(channel_id, waits=opened.waits))


def _opened(user_id: int, channel_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    marks = ChannelRead.objects.filter(channel=channel_id, user=user_id).values("position")
    members = Membership.objects.filter(workspace=OuterRef("workspace"))
    waiting = Message.objects.filter(channel=channel_id, queued=True)
    row = through(user_id, channel_id).annotate(
        read=Coalesce(Subquery(marks[:1]), 0),
        unread=unread_after(Value(channel_id), Value(user_id)),
        members=CountOf(members.order_by().values("pk")),
        queued=CountOf(waiting.order_by().values("pk")),
        busy=Exists(Turn.objects.filter(channel=channel_id, state="running")),
        waits=Exists(PermissionRequest.objects.filter(channel=channel_id, state="pending")),
    )
    return row.values_list(
        *ACCESS,
        "user__username",
        "user__display_name",
        f"{CHANNEL}__direct_agent__name",
        f"{CHANNEL}__name",
        f"{CHANNEL}__description",
        f"{CHANNEL}__last_activity",
        f"{CHANNEL}__last_position",
        "unread",
        f"{CHANNEL}__seq",
        "queued",
        "busy",
        "waits",
        "members",
    )


_OPENED = Fixed(_opened)
