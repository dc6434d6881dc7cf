"""Replies: what a person alone is answered, on all their tabs; to a repeated command, the same."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from agents.delivery import publish
from agents.domain.content.storable import storable_json
from agents.domain.typed.replies import DetailsBlock, Reply
from agents.models import SlashAnswer
from agents.protocol.frames import SystemReply
from agents.protocol.topics import person_topic
from agents.selectors.conversation.channels import ChannelAccess

KEPT = timedelta(days=7)
"""After this a repeated command counts as a new one."""


def tell(user_id: int, channel_id: str, reply: Reply) -> None:
    """Sends a reply to all tabs of the person once the transaction around it commits."""
    publish.on_commit(person_topic(user_id), SystemReply(channel=channel_id, reply=reply))


def given(access: ChannelAccess, client_ref: str) -> Reply | None:
    """Returns the answer to what came with `client_ref`; None if there is none."""
    if not client_ref:
        return None
    rows = SlashAnswer.objects.filter(channel=access.id, user=access.user, client_ref=client_ref)
    reply = rows.values_list("reply", flat=True).first()
    return Reply.model_validate(reply) if reply is not None else None


def keep(access: ChannelAccess, client_ref: str, reply: Reply) -> None:
    """Keeps an answer for whoever repeats the command: nothing is carried out a second time.

    What it shows folded, the history of a session, stays where it can be deleted.
    """
    if not client_ref:
        return
    rows = SlashAnswer.objects.filter(channel=access.id, user=access.user)
    rows.filter(at__lt=timezone.now() - KEPT).delete()
    short = tuple(block for block in reply.blocks if not isinstance(block, DetailsBlock))
    wire = reply.model_copy(update={"blocks": short}).wire()
    SlashAnswer.objects.update_or_create(
        channel_id=access.id,
        user_id=access.user,
        client_ref=client_ref,
        defaults={"reply": storable_json(wire)},
    )
