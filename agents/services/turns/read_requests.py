"""Requests that name files or a skill: the agent gets them once its host has read those."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from agents.domain.content.leases import Lease
from agents.domain.content.messages import Attachment
from agents.domain.content.turns import ClaimedTurn
from agents.domain.typed.line import Request
from agents.selectors.memory import memory_of
from agents.services.channels import messages
from agents.services.channels.frames import publish_message
from agents.services.leases import held_turn, running_turn
from agents.services.memory import sessions
from agents.services.turns.beginning import claimed


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What a host read: the files' text for the model, the card's lines, a skill's prompt."""

    files: str = ""
    attachments: tuple[Attachment, ...] = ()
    instead: str | None = None


def typed_request(lease: Lease) -> Request:
    """Returns what was typed, as it was read when it came. Raises `LostTurn`."""
    return messages.typed_request(running_turn(lease))


@transaction.atomic
def join_request(lease: Lease, read: ReadRequest) -> ClaimedTurn:
    """Adds the request to the agent's memory, and the files to its message's card."""
    turn = held_turn(lease)
    session = sessions.session_of(turn)
    here = sessions.here(turn)
    text = sessions.request_text(session, turn, here, read.files, read.instead)
    told = sessions.add_request(session, turn, text, memory_of(session), here.seen)
    sessions.mark_seen(turn)
    turn.unread = False
    turn.save(update_fields=["unread", "undo"])
    request = turn.request
    if request is not None and read.attachments:
        request.attachments = [each.wire() for each in read.attachments]
        request.save(update_fields=["attachments"])
        publish_message(request)
    return claimed(turn, session, told)
