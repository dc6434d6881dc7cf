"""Replies: what a person alone is answered, on all their tabs."""

from __future__ import annotations

from agents.delivery import publish
from agents.domain.typed.replies import Reply
from agents.protocol.frames import SystemReply
from agents.protocol.topics import person_topic


def tell(user_id: int, channel_id: str, reply: Reply) -> None:
    """Sends a reply to all tabs of the person once the transaction around it commits."""
    publish.on_commit(person_topic(user_id), SystemReply(channel=channel_id, reply=reply))
