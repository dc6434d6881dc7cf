"""Notices that stay: what a turn noticed, as a message of the channel that every reader finds."""

from __future__ import annotations

from django.db import transaction

from agents.domain.content.events import Notice
from agents.domain.content.leases import Lease
from agents.domain.content.messages import MessageError, SystemCode
from agents.models import Message
from agents.services.channels.channels import system_message
from agents.services.leases import held_turn


@transaction.atomic
def keep(lease: Lease, notice: Notice) -> None:
    """Says it in the channel, unless the last notice of its kind said the same."""
    turn = held_turn(lease)
    said = MessageError(code=notice.code, message=notice.message, words=notice.words)
    before = Message.objects.filter(
        channel=turn.channel_id, code=SystemCode.NOTICE, error__code=notice.code
    ).order_by("-position")
    if before.values_list("error", flat=True).first() != said.wire():
        system_message(
            turn.channel_id, SystemCode.NOTICE, turn.agent, said.wire(), text=notice.message
        )
