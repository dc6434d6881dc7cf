"""Requests: one that names files or a skill is heard by its agent once its host has read them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from agents.domain.content.leases import Lease
from agents.domain.content.messages import Attachment
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.context import spoken_text
from agents.selectors.values import parts_value
from agents.services.channels.frames import publish_message
from agents.services.channels.messages import agent_names
from agents.services.leases import held_turn, running_turn
from agents.services.memory import sessions
from agents.services.turns.hosts import claimed


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What a host read: the files' text for the model, the card's lines, a skill's prompt."""

    files: str = ""
    attachments: tuple[Attachment, ...] = ()
    instead: str | None = None


def typed_request(lease: Lease) -> tuple[str, tuple[str, ...]]:
    """Returns what was typed, and the names in it that are agents. Raises `LostTurn`."""
    request = running_turn(lease).request
    return spoken_text(parts_value(request.parts)) if request else "", agent_names()


@transaction.atomic
def join_request(lease: Lease, read: ReadRequest) -> ClaimedTurn:
    """Adds the request to the agent's memory, and the files to its message's card."""
    turn = held_turn(lease)
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
