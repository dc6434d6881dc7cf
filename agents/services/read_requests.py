"""Requests: one that names files or a skill is heard by its agent once its host has read them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from agents.domain.context import spoken_text
from agents.domain.messages import Attachment
from agents.domain.turns import ClaimedTurn
from agents.selectors.values import parts_value
from agents.services import sessions
from agents.services.frames import lock_channel, publish_message
from agents.services.messages import agent_names
from agents.services.turns import claimed, held_turn


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What a host read: the files' text for the model, the card's lines, a skill's prompt."""

    files: str = ""
    attachments: tuple[Attachment, ...] = ()
    instead: str | None = None


def typed_request(turn_id: str, host: str) -> tuple[str, tuple[str, ...]]:
    """Returns what was typed, and the names in it that are agents. Raises `LostTurn`."""
    request = held_turn(turn_id, host).request
    return spoken_text(parts_value(request.parts)) if request else "", agent_names()


@transaction.atomic
def join_request(turn_id: str, host: str, read: ReadRequest) -> ClaimedTurn:
    """Adds the request to the agent's memory, and the files to its message's card."""
    turn = held_turn(turn_id, host)
    lock_channel(turn.channel_id)
    session = sessions.session_of(turn)
    text = sessions.request_text(session, turn, read.files, read.instead)
    messages = sessions.add_request(session, turn, text, sessions.load_messages(session))
    sessions.mark_seen(turn)
    turn.unread = False
    turn.save(update_fields=["unread", "undo"])
    request = turn.request
    if request is not None and read.attachments:
        request.attachments = [each.wire() for each in read.attachments]
        request.save(update_fields=["attachments"])
        publish_message(request)
    return claimed(turn, session, messages)
