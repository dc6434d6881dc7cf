"""Sessions: what the model of an agent has in mind, row by row, with a way back (seed M §12)."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import ModelMessage, join_user
from agents.domain.memory.context import Heard, build_request, spoken_text
from agents.domain.memory.session_names import default_name, unique_name
from agents.models import Agent, AgentSession, ChannelAgent, Message, SessionMessage, Turn
from agents.selectors.sessions import messages_of
from agents.selectors.values import parts_value
from agents.services.channels.messages import typed_request


def session_of(turn: Turn) -> AgentSession:
    """Returns the agent's current session in the turn's channel, made the first time."""
    return current_session(turn.channel_id, turn.agent)


def current_session(channel_id: str, agent: Agent) -> AgentSession:
    """Returns what the agent has in mind in the channel, made the first time."""
    rows = AgentSession.objects.filter(channel=channel_id, agent=agent)
    found = rows.filter(current=True).first()
    if found is not None:
        return found
    return AgentSession.objects.create(
        channel_id=channel_id, agent=agent, name=fresh_name(channel_id, agent)
    )


def fresh_name(channel_id: str, agent: Agent) -> str:
    """Returns the name of a session that begins now (M §12.2)."""
    return unique_name(default_name(timezone.localtime()), names_of(channel_id, agent))


def names_of(channel_id: str, agent: Agent) -> list[str]:
    """Returns the names of the agent's sessions in the channel."""
    rows = AgentSession.objects.filter(channel=channel_id, agent=agent)
    return list(rows.values_list("name", flat=True))


def load_messages(session: AgentSession) -> tuple[ModelMessage, ...]:
    """Returns the session's messages in order."""
    return messages_of(session)


def append_message(session: AgentSession, turn: Turn, message: ModelMessage) -> None:
    """Adds a message at the end."""
    _append(session, turn, session.messages.count() + 1, message)
    AgentSession.objects.filter(pk=session.pk).update(updated_at=timezone.now())


def add_request(
    session: AgentSession, turn: Turn, text: str, before: tuple[ModelMessage, ...]
) -> tuple[ModelMessage, ...]:
    """Adds a request to the session's messages so that roles alternate, and returns them all.

    `turn.undo` then knows the way back.
    """
    after = join_user(before, text)
    turn.undo = {
        "count": len(before),
        "last": before[-1].wire() if before else None,
        "pending": session.pending_context,
        "last_seen": _last_seen(turn),
    }
    if len(after) == len(before):
        session.messages.filter(position=len(before)).update(content=after[-1].wire())
    else:
        _append(session, turn, len(after), after[-1])
        session.updated_at = timezone.now()
    session.pending_context = []
    session.save(update_fields=["pending_context", "updated_at"])
    return after


def roll_back(turn: Turn) -> None:
    """Restores the memory from before the turn's request (M §5.5: Ctrl+C)."""
    undo: dict[str, Any] | None = turn.undo
    if undo is None:
        return
    session = session_of(turn)
    session.messages.filter(position__gt=undo["count"]).delete()
    if undo["last"] is not None:
        session.messages.filter(position=undo["count"]).update(content=undo["last"])
    session.pending_context = undo["pending"]
    session.save(update_fields=["pending_context"])
    ChannelAgent.objects.filter(channel=turn.channel, agent=turn.agent).update(
        last_seen=undo["last_seen"]
    )


def request_text(
    session: AgentSession, turn: Turn, files: str = "", instead: str | None = None
) -> str:
    """Returns what the model reads: pending context, unseen messages, the request itself.

    `files` is the content of attached ones, `instead` takes the place of what was typed.
    """
    request = turn.request
    if request is None:
        return ""
    typed = typed_request(turn)
    text = typed.heard if instead is None else instead
    pending = [*session.pending_context, *([files] if files else [])]
    if turn.channel.direct_agent_id is not None or typed.alone:
        return build_request(text, speaker=None, pending=pending)
    speaker = request.author.name if request.author else None
    return build_request(text, speaker=speaker, unseen=_unseen(turn, request), pending=pending)


def mark_seen(turn: Turn) -> None:
    """Notes that the agent has now seen the channel up to the request."""
    if turn.request is not None:
        ChannelAgent.objects.filter(channel=turn.channel, agent=turn.agent).update(
            last_seen=turn.request.position
        )


def _unseen(turn: Turn, request: Message) -> list[Heard]:
    rows = (
        Message.objects.filter(
            channel=turn.channel,
            position__gt=_last_seen(turn),
            position__lt=request.position,
            role__in=("user", "agent"),
            queued=False,
        )
        .exclude(agent=turn.agent)
        .exclude(turns__kind="command")  # told as pending context, with its output
        .exclude(_taken_back())
        .select_related("author", "agent")
        .order_by("-position")[:20]
    )
    heard = [Heard(_speaker(row), spoken_text(parts_value(row.parts))) for row in reversed(rows)]
    return [one for one in heard if one.text]


def _taken_back() -> Q:
    """Returns what holds for messages that no model hears of.

    That is: dropped or refused while they waited, an answer that was stopped or refused, and a
    request all of whose answers were stopped: the agents have forgotten it (M §5.5).
    """
    answers = Turn.objects.filter(request=OuterRef("pk"), kind="answer", answer__isnull=False)
    stopped = {"answer__stop_reason": StopReason.CANCELLED}
    return (
        Q(role="user", error__isnull=False)
        | Q(stop_reason__in=(StopReason.CANCELLED, StopReason.REFUSAL))
        | (Q(Exists(answers.filter(**stopped))) & ~Q(Exists(answers.exclude(**stopped))))
    )


def _speaker(row: Message) -> str:
    if row.agent:
        return row.agent.name
    return row.author.name if row.author else "?"


def _last_seen(turn: Turn) -> int:
    """Returns the position up to which the agent has seen the channel, which it joins now."""
    members = ChannelAgent.objects.order_by()
    known = members.filter(channel=turn.channel_id, agent=turn.agent_id)
    seen = known.values_list("last_seen", flat=True).first()
    if seen is None:
        return members.create(channel=turn.channel, agent=turn.agent).last_seen
    return seen


def _append(session: AgentSession, turn: Turn, position: int, message: ModelMessage) -> None:
    SessionMessage.objects.create(
        session=session, turn=turn, position=position, content=message.wire()
    )
