"""Channels as one person reaches them; every road to a channel passes `channel_for`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from agents.models import Turn
from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.fixed import Fixed
from workspaces.domain.places import Role, WorkspaceAccess
from workspaces.models import Membership
from workspaces.selectors import ACCESS, access_of, memberships_of

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


def may_answer_all(workspace: WorkspaceAccess) -> bool:
    """Returns whether this person may answer requests that others' messages caused."""
    editor = workspace.role == "editor" and workspace.editors_answer
    return workspace.role == "owner" or editor
