"""Scene: all that has to be known before a person posts in a channel, in one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from agents.models import Agent, Channel, Message, Turn
from agents.selectors.conversation.channels import CHANNEL, ChannelAccess, through
from maia_web.accounts.models import User
from maia_web.lib.errors import NotFound
from maia_web.lib.fixed import Fixed, Row, instance
from workspaces.domain.places import WorkspaceAccess
from workspaces.models import Membership, Workspace
from workspaces.selectors import ACCESS, access_of

_PERSON = ("id", "username", "display_name", "language")
_AGENT = ("id", "name", "kind", "toolset", "enabled")
_MEMBER = f"{CHANNEL}__members"


@dataclass(frozen=True, slots=True)
class Member:
    """An agent of the channel (`_AGENT` of it), and the model chosen for it.

    `seen`: how far it has seen the channel; `has_unseen`: others have spoken since.
    """

    agent: Agent
    seen: int
    model: str
    has_unseen: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """A channel when somebody is about to post in it; of the rows, what posting needs.

    `last` answered last; `waits`: an answer is written or waits, as do `queued` messages; `posted`
    was posted by the same person with the same `client_ref`.
    """

    access: ChannelAccess
    channel: Channel
    person: User
    last: str | None
    waits: bool
    queued: int
    posted: str | None
    members: tuple[Member, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members, in the order they joined."""
        return tuple(one.agent.name for one in self.members)

    def member(self, name: str) -> Member | None:
        """Returns a member by its name, None for an agent that is none."""
        return next((one for one in self.members if one.agent.name == name), None)


def scene_for(user_id: int, channel_id: str, client_ref: str = "") -> Scene:
    """Returns the channel as this person would post in it, with their rights as of now.

    Raises `NotFound` when it is not there or not theirs, `NotAllowed` for a viewer.
    """
    rows = [_parts(row) for row in _SCENE.rows(user_id, channel_id, client_ref)]
    if not rows:
        raise NotFound(_("There is no such conversation."))
    reached, person, here, _member = rows[0]
    direct_id, direct, last, waits, queued, posted = here
    access = ChannelAccess(channel_id, access_of(reached), user_id, direct)
    access.require("editor")
    return Scene(
        access=access,
        channel=_channel(access.workspace, channel_id, direct_id),
        person=instance(User, _PERSON, person),
        last=last,
        waits=bool(waits),
        queued=queued or 0,
        posted=posted,
        members=tuple(
            Member(instance(Agent, _AGENT, agent), seen, model, bool(has_unseen))
            for *_others, (*agent, seen, model, has_unseen) in rows
            if seen is not None
        ),
    )


def _channel(workspace: WorkspaceAccess, channel_id: str, direct_id: int | None) -> Channel:
    columns = ("id", "workspace_id", "direct_agent_id")
    row = instance(Channel, columns, (channel_id, workspace.id, direct_id))
    known = (workspace.id, workspace.number, workspace.network)
    row.workspace = instance(Workspace, ("id", "number", "network"), known)
    return row


def _parts(row: Row) -> tuple[Row, Row, Row, Row]:
    """Returns what a row says of membership, person, channel, and of one member."""
    person, here = len(ACCESS), len(ACCESS) + len(_PERSON)
    member = here + 6
    return row[:person], row[person:here], row[here:member], row[member:]


def _scene(user_id: int, channel_id: str, client_ref: str) -> QuerySet[Membership, Any]:
    messages = Message.objects.filter(channel=channel_id).order_by()
    queued = messages.filter(queued=True).values("channel").annotate(count=Count("*"))
    posted = messages.filter(author=user_id, client_ref=client_ref).exclude(client_ref="")
    is_open = Turn.objects.filter(channel=channel_id, state__in=("queued", "running"))
    since = messages.filter(position__gt=OuterRef(f"{_MEMBER}__last_seen"), queued=False)
    unseen = since.filter(role__in=("user", "agent")).exclude(agent=OuterRef(f"{_MEMBER}__agent"))
    return (
        through(user_id, channel_id)
        .order_by(f"{_MEMBER}__id")
        .values_list(
            *ACCESS,
            *(f"user__{column}" for column in _PERSON),
            f"{CHANNEL}__direct_agent",
            f"{CHANNEL}__direct_agent__name",
            f"{CHANNEL}__last_agent__name",
            Exists(is_open),
            Subquery(queued.values("count")),
            Subquery(posted.values("id")[:1]),
            *(f"{_MEMBER}__agent__{column}" for column in _AGENT),
            f"{_MEMBER}__last_seen",
            f"{_MEMBER}__model",
            Exists(unseen),
        )
    )


_SCENE = Fixed(_scene)
