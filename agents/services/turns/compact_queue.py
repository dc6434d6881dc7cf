"""Compact queue: a compaction waits its turn like any other work of a channel (seed M §14.3)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.delivery import dispatch
from agents.domain.memory.compaction import is_full
from agents.models import Agent, AgentSession, Turn
from agents.selectors.models.context_sizes import context_size
from agents.services.channels.frames import publish_turn
from agents.services.memory import sessions
from maia_web.lib.errors import Conflict

AUTOMATIC = "auto"


def queue_if_full(turn: Turn, session: AgentSession) -> None:
    """Queues a compaction after an answer that filled the context; the caller publishes."""
    if is_full(session.context_used, context_size(turn.channel_id, turn.agent.name)):
        _queue(turn.channel_id, turn.agent, turn.starter_id, AUTOMATIC)


def queue_compaction(channel_id: str, agent: Agent, user_id: int) -> bool:
    """Queues the compaction a person asked for; returns whether an answer runs before it.

    Raises `Conflict` when there is nothing to compact. The channel must be locked.
    """
    session = sessions.current_session(channel_id, agent)
    open_turns = Turn.objects.filter(channel=channel_id, state__in=("queued", "running"))
    waits = open_turns.exists()
    if not waits and not session.messages.exists() and not session.pending_context:
        raise Conflict(_("There is nothing to compact."), code="empty")
    _queue(channel_id, agent, user_id, "")
    publish_turn(channel_id)
    dispatch.turn_queued(channel_id)
    return waits


def _queue(channel_id: str, agent: Agent, user_id: int | None, argument: str) -> None:
    waiting = Turn.objects.filter(
        channel=channel_id, agent=agent, kind="compact", state="queued"
    ).exists()
    if not waiting:
        Turn.objects.create(
            channel_id=channel_id,
            agent=agent,
            kind="compact",
            starter_id=user_id,
            argument=argument,
        )
