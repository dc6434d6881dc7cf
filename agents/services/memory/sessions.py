"""Sessions: what the model of an agent has in mind, row by row, with a way back (seed M §12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.remembered import Memory
from agents.domain.memory.context import Heard, build_request, spoken_text
from agents.domain.memory.session_names import default_name, unique_name
from agents.models import Agent, AgentSession, ChannelAgent, Message, Turn
from agents.selectors.values import parts_value
from agents.services.channels.messages import typed_request
from agents.services.memory.messages import append_user_text, change_last, keep_first
from maia_web.lib.fixed import Fixed, FixedInsert, FixedUpdate, Row, instance


def session_of(turn: Turn) -> AgentSession:
    """Returns the agent's current session in the turn's channel, made the first time."""
    return current_session(turn.channel_id, turn.agent)


def current_session(channel_id: str, agent: Agent) -> AgentSession:
    """Returns what the agent has in mind in the channel, made the first time."""
    found = _CURRENT.first(channel_id, agent.pk)
    if found is not None:
        return instance(AgentSession, _COLUMNS, found)
    name = fresh_name(channel_id, agent)
    _ADD(AgentSession(channel_id=channel_id, agent=agent, name=name))
    return current_session(channel_id, agent)


_COLUMNS = tuple(field.attname for field in AgentSession._meta.concrete_fields)


def _current(channel_id: str, agent_id: int) -> QuerySet[AgentSession, Row]:
    rows = AgentSession.objects.filter(channel=channel_id, agent=agent_id, current=True)
    return rows.values_list(*_COLUMNS)


_CURRENT = Fixed(_current)
_ADD = FixedInsert(AgentSession)


def fresh_name(channel_id: str, agent: Agent) -> str:
    """Returns the name of a session that begins now (M §12.2)."""
    return unique_name(default_name(timezone.localtime()), names_of(channel_id, agent))


def names_of(channel_id: str, agent: Agent) -> list[str]:
    """Returns the names of the agent's sessions in the channel."""
    return [name for (name,) in _NAMES.rows(channel_id, agent.pk)]


def _names(channel_id: str, agent_id: int) -> QuerySet[AgentSession, Row]:
    return AgentSession.objects.filter(channel=channel_id, agent=agent_id).values_list("name")


_NAMES = Fixed(_names)


@dataclass(frozen=True, slots=True)
class Here:
    """How far an agent has seen a channel, and the model that was chosen for it there.

    `has_unseen`: others may have spoken since.
    """

    seen: int
    model: str
    has_unseen: bool = True


def here(turn: Turn) -> Here:
    """Returns that of a turn's agent, which joins the channel now if it is no member."""
    members = ChannelAgent.objects.order_by()
    known = members.filter(channel=turn.channel_id, agent=turn.agent_id)
    found = known.values_list("last_seen", "model").first()
    if found is None:
        made = members.create(channel=turn.channel, agent=turn.agent)
        found = (made.last_seen, made.model)
    return Here(*found)


def add_request(session: AgentSession, turn: Turn, text: str, before: Memory, seen: int) -> Memory:
    """Adds a request to the session's messages, which are `before`, and returns them all.

    `seen`: how far the agent has seen the channel. `turn.undo` then knows the way back.
    """
    turn.undo = {
        "count": len(before.messages),
        "last": before.messages[-1].wire() if before.messages else None,
        "pending": session.pending_context,
        "last_seen": seen,
    }
    after = append_user_text(session, turn, text, before)
    if session.pending_context:
        session.pending_context = []
        session.save(update_fields=["pending_context"])
    return after


def roll_back(turn: Turn) -> None:
    """Restores the memory from before the turn's request (M §5.5: Ctrl+C)."""
    undo: dict[str, Any] | None = turn.undo
    if undo is None:
        return
    session = session_of(turn)
    keep_first(session, undo["count"])
    if undo["last"] is not None:
        change_last(session, ModelMessage.model_validate(undo["last"]))
    session.pending_context = undo["pending"]
    session.save(update_fields=["pending_context"])
    ChannelAgent.objects.filter(channel=turn.channel, agent=turn.agent).update(
        last_seen=undo["last_seen"]
    )


def request_text(
    session: AgentSession, turn: Turn, here: Here, files: str = "", instead: str | None = None
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
    unseen = _unseen(turn, request, here.seen) if here.has_unseen else []
    return build_request(text, speaker=speaker, unseen=unseen, pending=pending)


def mark_seen(turn: Turn) -> None:
    """Notes that the agent has now seen the channel up to the request.

    With one that is sent alone it has seen nothing else: that is told with the next one.
    """
    if turn.request is not None and not typed_request(turn).alone:
        _SEEN(turn.channel_id, turn.agent_id, turn.request.position)


def _seen(
    channel_id: str, agent_id: int, position: int
) -> tuple[QuerySet[ChannelAgent], dict[str, int]]:
    members = ChannelAgent.objects.filter(channel=channel_id, agent=agent_id)
    return members, {"last_seen": position}


_SEEN = FixedUpdate(_seen)


def _unseen(turn: Turn, request: Message, seen: int) -> list[Heard]:
    rows = (
        Message.objects.filter(
            channel=turn.channel,
            position__gt=seen,
            position__lt=request.position,
            role__in=("user", "agent"),
            queued=False,
        )
        .exclude(agent=turn.agent)
        .exclude(turns__kind="command")  # told as pending context, with its output
        .exclude(Exists(_asked_of(turn.agent_id)))
        .exclude(_taken_back())
        .select_related("author", "agent")
        .order_by("-position")[:20]
    )
    heard = [Heard(_speaker(row), spoken_text(parts_value(row.parts))) for row in reversed(rows)]
    return [one for one in heard if one.text]


def _asked_of(agent_id: int) -> QuerySet[Turn]:
    """Returns the answers of an agent to a message, which it then knows, unless one was stopped."""
    answers = Turn.objects.filter(request=OuterRef("pk"), agent=agent_id, kind="answer")
    return answers.exclude(answer__stop_reason=StopReason.CANCELLED)


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
