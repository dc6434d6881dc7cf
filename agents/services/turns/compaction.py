"""Compaction in the database: the session so far stays saved, its summary begins the next one."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.content.leases import Lease
from agents.domain.content.messages import SessionNote, SystemCode, failed
from agents.domain.content.model_messages import ModelMessage, user_text
from agents.domain.content.remembered import Memory
from agents.domain.content.turn_texts import turn_text
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.compaction import request_of, resumed_request
from agents.domain.memory.context import spoken_text
from agents.domain.memory.session_names import next_compacted_name, unique_name, wraps
from agents.models import AgentSession, ChannelAgent, Turn
from agents.selectors.memory import memory_of, messages_of
from agents.selectors.values import parts_value
from agents.services.channels.channels import system_message
from agents.services.channels.frames import next_position, publish_message
from agents.services.leases import held_turn, running_turn
from agents.services.memory import sessions
from agents.services.memory.messages import append_message
from agents.services.memory.named_sessions import publish_usage
from agents.services.turns.beginning import claimed
from maia_web.lib.languages import translated
from maia_web.lib.names.folding import fold
from maia_web.lib.translated import translations


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction made: the summary, and tokens before and after."""

    summary: str
    before: int
    after: int
    automatic: bool


def messages_before_request(lease: Lease) -> tuple[ModelMessage, ...]:
    """Returns what the agent had in mind before the turn's request was added."""
    turn = running_turn(lease)
    undo = turn.undo
    messages = messages_of(sessions.session_of(turn))
    if undo is None:
        return messages
    if undo["last"] is None:
        return ()
    last = ModelMessage.model_validate(undo["last"])
    return (*messages[: undo["count"] - 1], last)


def memory_now(lease: Lease) -> Memory:
    """Returns what the agent has in mind in the middle of its turn."""
    return memory_of(sessions.session_of(running_turn(lease)))


def request_again(lease: Lease, language: str, *, emergency: bool, size: int = 0) -> ModelMessage:
    """Returns the turn's request, with what was joined to it, as the compacted session begins.

    `size`: tokens of the model's context, 0 where unknown; a request that is made again in an
    emergency has to leave room.
    """
    turn = running_turn(lease)
    read = _request_as_read(turn)
    if read is not None and not emergency:
        return user_text(read)
    typed = spoken_text(parts_value(turn.request.parts)) if turn.request else ""
    return resumed_request(read or typed or turn_text("continue", language), language, size)


@transaction.atomic
def apply_compaction(
    lease: Lease, made: Compacted, request: ModelMessage | None, *, emergency: bool
) -> ClaimedTurn:
    """Puts the session aside, begins the next with the summary, and says so in the channel.

    `request` is what the turn goes on with, None for a turn that only compacts. Raises `LostTurn`.
    """
    turn = held_turn(lease)
    if request is not None and not emergency:
        sessions.roll_back(turn)
    old = sessions.session_of(turn)
    new = _successor(old, made)
    if request is not None:
        _go_on(turn, new, request)
    system_message(
        turn.channel_id,
        SystemCode.COMPACTED,
        turn.agent,
        author=turn.starter_id,
        note=SessionNote(
            session=new.name,
            previous=old.name,
            before=made.before,
            after=made.after,
            automatic=made.automatic,
        ),
        text=made.summary,
    )
    publish_usage(new)
    if turn.answer is not None:
        turn.answer.position = next_position(turn.channel_id)
        turn.answer.save(update_fields=["position"])
        publish_message(turn.answer)
    return claimed(turn)


@transaction.atomic
def tell_failure(lease: Lease, why: str) -> None:
    """Says in the channel that a compaction failed and that nothing changed.

    `why` is a sentence, best one that knows every language.
    """
    turn = held_turn(lease)
    every = translations(why) or {}

    def sentence() -> str:
        reason = every.get(get_language() or "", str(why))
        text = _("The conversation could not be compacted and stays as it is. %(why)s")
        return (text % {"why": reason}).strip()

    error = failed(SystemCode.COMPACT_FAILED, translated(sentence))
    text = (error.words or {}).get(settings.LANGUAGE_CODE, error.message)
    system_message(turn.channel_id, SystemCode.COMPACT_FAILED, turn.agent, error.wire(), text=text)


def _successor(old: AgentSession, made: Compacted) -> AgentSession:
    name = next_compacted_name(old.name)
    others = AgentSession.objects.filter(channel=old.channel, agent=old.agent).exclude(pk=old.pk)
    if wraps(old.name):
        others.filter(name_key=fold(name)).delete()
    old.current = False
    old.save(update_fields=["current"])
    return AgentSession.objects.create(
        channel=old.channel,
        agent=old.agent,
        name=unique_name(name, [old.name, *others.values_list("name", flat=True)]),
        start_context=made.summary,
        context_used=made.after,
        model=old.model,
        cwd=old.cwd,
        updated_at=timezone.now(),
    )


def _go_on(turn: Turn, session: AgentSession, request: ModelMessage) -> None:
    """The compacted session begins with the request; Stop takes it back to its beginning."""
    member = ChannelAgent.objects.filter(channel=turn.channel, agent=turn.agent).first()
    undo = turn.undo or {}
    turn.undo = {
        "count": 0,
        "last": None,
        "pending": [],
        "last_seen": undo.get("last_seen", member.last_seen if member else 0),
    }
    turn.save(update_fields=["undo"])
    append_message(session, turn, request)
    sessions.mark_seen(turn)


def _request_as_read(turn: Turn) -> str | None:
    """Returns the request as the model read it: pending context, files, a skill's prompt."""
    undo = turn.undo
    if undo is None:
        return None
    last = ModelMessage.model_validate(undo["last"]) if undo["last"] is not None else None
    messages = messages_of(sessions.session_of(turn))
    return request_of(messages, undo["count"], last)
