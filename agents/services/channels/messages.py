"""Messages: what people say, and what becomes of the messages that wait."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.content.agents import BUILT_IN
from agents.domain.content.messages import Role
from agents.domain.content.parts import TextPart
from agents.domain.memory.context import spoken_text
from agents.domain.typed.line import Line, Request, Said, Slash, parse, request_of, trimmed
from agents.models import Agent, Channel, Message, Turn
from agents.protocol.commands import MAX_TEXT
from agents.protocol.frames import MessageRemoved
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.channels import channel_for
from agents.selectors.values import parts_value
from agents.services.channels.frames import (
    lock_channel,
    next_position,
    next_seq,
    publish_turn,
    refresh_lists,
)
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from maia_web.lib.fixed import Fixed


def add_message(channel: Channel, user_id: int, text: str, client_ref: str) -> Message:
    """Adds a person's message to a locked channel; it may have to wait."""
    waits = Turn.objects.filter(channel=channel, state__in=("queued", "running")).exists()
    return Message.objects.create(
        channel=channel,
        position=next_position(channel.id),
        role=Role.USER,
        author_id=user_id,
        parts=[TextPart(text=text).wire()],
        queued=waits,
        client_ref=client_ref,
    )


@transaction.atomic
def remove_queued(user_id: int, channel_id: str, message_id: str) -> str:
    """Takes back a message of one's own that still waits; returns its text."""
    channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    row = Message.objects.filter(id=message_id, channel=channel_id, author=user_id).first()
    if row is None:
        raise NotFound(_("There is no such message."))
    if not row.queued:
        raise Conflict(_("This message is being answered already."))
    text = str(row.parts[0].get("text", "")) if row.parts else ""
    row.delete()
    publish.on_commit(
        channel_topic(channel_id),
        MessageRemoved(channel=channel_id, seq=next_seq(channel_id), message_id=message_id),
    )
    publish_turn(channel_id)
    refresh_lists(channel_id, fewer=True)
    return text


def valid_text(text: str) -> str:
    """Returns what was typed as it is kept; raises `InvalidInput` if it is empty or too long."""
    text = trimmed(text.replace("\x00", "").replace("\r\n", "\n"))
    text = text.encode("utf-8", "replace").decode()
    if not text:
        raise InvalidInput(_("The message is empty."), field="text")
    if len(text) > MAX_TEXT:
        raise InvalidInput(
            _("The message is longer than %(max)d characters.") % {"max": MAX_TEXT}, field="text"
        )
    return text


def posted_before(channel_id: str, user_id: int, client_ref: str) -> str | None:
    """Returns the id of the message this person sent with the same `client_ref`, if any."""
    if not client_ref:
        return None
    rows = Message.objects.filter(channel=channel_id, author=user_id, client_ref=client_ref)
    return rows.values_list("id", flat=True).first()


def typed_request(turn: Turn) -> Request:
    """Returns the request of a turn as it was read when it came.

    Turns that were queued before it was kept (0014) have it read now.
    """
    text = spoken_text(parts_value(turn.request.parts)) if turn.request else ""
    if turn.line is not None:
        return request_of(turn.line, text)
    line = read(text)
    return line if isinstance(line, Request) else Said(text, alone=isinstance(line, Slash))


def read(text: str) -> Line:
    """Returns what a text that somebody typed is, among the agents that there are.

    One that is switched off is named as any, and says so.
    """
    rows = _AGENTS.rows()
    hosted = tuple(name for name, kind in rows if kind == BUILT_IN)
    return parse(text, tuple(name for name, _kind in rows), hosted)


_AGENTS = Fixed(lambda: Agent.objects.values_list("name", "kind"))
