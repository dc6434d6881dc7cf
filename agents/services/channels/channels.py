"""Channels: created, renamed, cleared, deleted; agents invited and removed (seed S)."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.content.messages import Role, SessionNote, SystemCode
from agents.domain.content.parts import TextPart
from agents.models import Agent, AgentSession, Channel, ChannelAgent, Message, Turn
from agents.protocol.frames import ChannelGone, ChannelReset
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.services import audit
from agents.services.channels.frames import (
    lock_channel,
    next_position,
    next_seq,
    publish_message,
    refresh_lists,
)
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from maia_web.lib.names.folding import fold, is_printable
from maia_web.lib.names.isolate import isolated
from workspaces.selectors import workspace_for

MAX_NAME = 64
_MARK_READ = """
    INSERT INTO agents_channelread (channel_id, user_id, position)
    SELECT id, %(user)s, CASE WHEN last_position < %(position)s
        THEN last_position ELSE %(position)s END
    FROM agents_channel WHERE id = %(channel)s
    ON CONFLICT (channel_id, user_id) DO UPDATE SET position = excluded.position
    WHERE agents_channelread.position < excluded.position
"""
"""In SQL: Django would read the mark before it writes it, for each message that somebody sees."""


@transaction.atomic
def create_channel(
    user_id: int, workspace_id: str, name: str, description: str = "", members: tuple[str, ...] = ()
) -> str:
    """Creates a channel in a workspace and returns its id. Editors and owners may.

    Raises `InvalidInput` for a name that is empty or too long, `Conflict` for one that is taken.
    """
    workspace_for(user_id, workspace_id, at_least="editor")
    channel = Channel(
        workspace_id=workspace_id, name=_valid_name(name), description=description.strip()[:200]
    )
    _save_name(channel)
    for member in members:
        ChannelAgent.objects.get_or_create(channel=channel, agent=agent_named(member))
    refresh_lists(channel.id)
    return channel.id


@transaction.atomic
def rename_channel(user_id: int, channel_id: str, name: str, description: str = "") -> None:
    """Renames a channel, not a direct conversation."""
    _named(channel_for(user_id, channel_id, at_least="editor"))
    channel = lock_channel(channel_id)
    channel.name, channel.description = _valid_name(name), description.strip()[:200]
    _save_name(channel)
    refresh_lists(channel_id)


def locked_for_deletion(user_id: int, channel_id: str) -> ChannelAccess:
    """Locks a channel that this person may delete: an editor, or whose direct conversation it is.

    Raises `NotFound` and `NotAllowed`.
    """
    access = channel_for(user_id, channel_id, at_least="viewer")
    if not access.direct:
        channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    return access


def drop_channel(access: ChannelAccess) -> None:
    """Deletes a locked channel and all its history; nobody answers there any more."""
    refresh_lists(access.id)
    publish.on_commit(channel_topic(access.id), ChannelGone(channel=access.id))
    _record(access, "deleted")
    Channel.objects.filter(id=access.id).delete()


@transaction.atomic
def clear_channel(user_id: int, channel_id: str) -> None:
    """Deletes all messages and forgets what the agents have in mind; saved sessions stay."""
    access = channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    _refuse_while_answering(channel_id)
    _record(access, "cleared")
    Message.objects.filter(channel=channel_id).delete()
    AgentSession.objects.filter(channel=channel_id, current=True).delete()
    ChannelAgent.objects.filter(channel=channel_id).update(last_seen=0)
    frame = ChannelReset(channel=channel_id, seq=next_seq(channel_id))
    publish.on_commit(channel_topic(channel_id), frame)
    refresh_lists(channel_id, fewer=True)


def _record(access: ChannelAccess, what: str) -> None:
    """Keeps who took away what others wrote; one's own direct conversation is one's own affair."""
    if access.direct:
        return
    name = Channel.objects.values_list("name", flat=True).get(id=access.id)
    facts = {"channel": name, "what": what}
    audit.record("setting", "channel", user=access.user, workspace=access.workspace.id, input=facts)


@transaction.atomic
def add_member(user_id: int, channel_id: str, agent: str) -> None:
    """Invites an agent; the channel says so. Inviting a member again changes nothing."""
    _named(channel_for(user_id, channel_id, at_least="editor"))
    lock_channel(channel_id)
    join(channel_id, agent_named(agent))


@transaction.atomic
def remove_member(user_id: int, channel_id: str, agent: str) -> None:
    """Removes an agent; the channel says so."""
    _named(channel_for(user_id, channel_id, at_least="editor"))
    lock_channel(channel_id)
    row = agent_named(agent)
    if ChannelAgent.objects.filter(channel=channel_id, agent=row).delete()[0]:
        system_message(channel_id, SystemCode.AGENT_LEFT, row)
        refresh_lists(channel_id)


@transaction.atomic
def open_direct(user_id: int, workspace_id: str, agent: str) -> str:
    """Returns the direct conversation of this person with an agent, made the first time.

    Raises `NotAllowed` for a viewer, who could say nothing in a new one.
    """
    access = workspace_for(user_id, workspace_id)
    row = agent_named(agent)
    wanted: dict[str, Any] = {
        "workspace_id": workspace_id,
        "direct_user_id": user_id,
        "direct_agent": row,
    }
    if access.role == "viewer" and not Channel.objects.filter(**wanted).exists():
        raise NotAllowed(_("A viewer reads and does not write. An owner can make you an editor."))
    channel, created = Channel.objects.get_or_create(**wanted)
    if created:
        ChannelAgent.objects.create(channel=channel, agent=row)
        refresh_lists(channel.id)
    return channel.id


def mark_read(user_id: int, channel_id: str, position: int) -> None:
    """Notes how far this person has read; never goes back."""
    channel_for(user_id, channel_id)
    with connection.cursor() as cursor:
        cursor.execute(_MARK_READ, {"user": user_id, "channel": channel_id, "position": position})
        if cursor.rowcount:
            publish.read_on_commit(user_id, channel_id)


def agent_named(name: str) -> Agent:
    """Returns an enabled agent; raises `NotFound`."""
    agent = Agent.objects.filter(name__iexact=name, enabled=True).first()
    if agent is None:
        raise NotFound(_("There is no agent named %(name)s.") % {"name": name}, agent=name)
    return agent


def join(channel_id: str, agent: Agent) -> None:
    """Makes an agent a member and says so; a member already is left alone."""
    _row, created = ChannelAgent.objects.get_or_create(channel_id=channel_id, agent=agent)
    if created:
        system_message(channel_id, SystemCode.AGENT_JOINED, agent)
        refresh_lists(channel_id)


def system_message(
    channel_id: str,
    code: SystemCode,
    agent: Agent | None = None,
    error: dict[str, Any] | None = None,
    *,
    author: int | None = None,
    note: SessionNote | None = None,
    text: str = "",
) -> Message:
    """Adds a message that the server itself says; `author` is who brought it about."""
    row = Message.objects.create(
        channel_id=channel_id,
        position=next_position(channel_id),
        role=Role.SYSTEM,
        agent=agent,
        author_id=author,
        code=code,
        error=error,
        note=note.wire() if note else None,
        parts=[TextPart(text=text).wire()] if text else [],
    )
    publish_message(row)
    return row


def _valid_name(name: str) -> str:
    name = name.strip()
    if not fold(name) or len(name) > MAX_NAME or not is_printable(name):
        raise InvalidInput(
            _("A channel's name has 1 to %(max)d printable characters.") % {"max": MAX_NAME},
            field="name",
        )
    return name


def _save_name(channel: Channel) -> None:
    try:
        with transaction.atomic():
            channel.save()
    except IntegrityError:
        raise Conflict(
            _("There is already a channel named %(name)s.") % {"name": isolated(channel.name)},
            field="name",
        ) from None


def _named(access: ChannelAccess) -> None:
    if access.direct:
        raise InvalidInput(_("A direct conversation has no name and no other members."))


def _refuse_while_answering(channel_id: str) -> None:
    if Turn.objects.filter(channel=channel_id, state__in=("queued", "running")).exists():
        raise Conflict(_("An agent is answering in this channel. Stop it first."), code="busy")
