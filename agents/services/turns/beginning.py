"""Beginning: of a turn that waited, or for which nobody has to wait, by the host that runs it."""

from __future__ import annotations

import json

from django.conf import settings
from django.utils import timezone

from agents.domain.content.leases import Lease
from agents.domain.content.messages import Role
from agents.domain.content.parts import Part, ToolPart
from agents.domain.content.remembered import Memory
from agents.domain.content.turn_texts import turn_text
from agents.domain.content.turns import MAX_ATTEMPTS, ClaimedTurn, OpenCall
from agents.models import AgentSession, Message, Turn
from agents.selectors.conversation.snapshots import answering
from agents.selectors.memory import memory_of
from agents.selectors.models.context_sizes import chosen_model
from agents.selectors.values import parts_value, saved_parts
from agents.services.channels.frames import (
    Numbers,
    publish_numbered,
    publish_state,
    refresh_lists,
)
from agents.services.leases import give_lease
from agents.services.memory import sessions
from agents.services.memory.sessions import Here
from maia_web.lib.fixed import FixedInsert
from workspaces.domain.places import Place

ADD_TURN = FixedInsert(Turn)


def writes_message(turn: Turn) -> bool:
    """Tells whether what a turn does is read in a message; a command's is the request itself."""
    return makes_message(turn) or (turn.kind == "command" and turn.request_id is not None)


def makes_message(turn: Turn) -> bool:
    """Tells whether that is a new message; also of a kind that only says that it is not known."""
    return turn.kind not in ("command", "compact")


def empty_answer(turn: Turn, position: int) -> Message:
    """Returns the message that a turn writes, not saved yet."""
    return Message(
        channel_id=turn.channel_id,
        position=position,
        role=Role.AGENT,
        agent=turn.agent,
        done=False,
    )


def begin(turn: Turn, host: str, here: Here, numbers: Numbers, queued: int) -> ClaimedTurn:
    """Gives a turn to a host that has begun it when the transaction commits.

    The channel is locked; the turn may be new, its request and answer are saved. `numbers` has
    enough for what begins, `queued` messages wait behind it.
    """
    session = sessions.session_of(turn)
    memory = memory_of(session)
    if turn.kind == "command":
        turn.answer = _with_card(turn)
    if turn.is_answer and not turn.unread:
        memory = _with_request(turn, session, memory, here)
    turn.state, turn.started_at = "running", timezone.now()
    give_lease(turn, host)
    if turn._state.adding:
        ADD_TURN(turn)
    else:
        turn.save()
    answer = turn.answer
    parts = parts_value(answer.parts) if answer else ()
    if answer is not None:
        publish_numbered(answer, numbers.next_seq(), parts)
    publish_state(turn.channel_id, numbers.next_seq(), answering(turn), queued)
    refresh_lists(turn.channel_id)
    return claimed(turn, session, memory, parts=parts, model=here.model)


def _with_request(turn: Turn, session: AgentSession, memory: Memory, here: Here) -> Memory:
    if not turn.continues:
        text = sessions.request_text(session, turn, here)
        memory = sessions.add_request(session, turn, text, memory, here.seen)
        sessions.mark_seen(turn)
    elif not memory.messages or memory.messages[-1].role == "assistant":
        text = turn_text("continue", settings.LANGUAGE_CODE)
        memory = sessions.add_request(session, turn, text, memory, here.seen)
    return memory


def _with_card(turn: Turn) -> Message | None:
    """Adds a pending card to the request, which is the turn's answer too; the caller publishes."""
    row = turn.request
    if row is None:
        return None
    card = ToolPart(
        id=turn.id,
        name="!",
        title=" ".join(turn.argument.split())[:200],
        kind="execute",
        input=json.dumps({"command": turn.argument}, ensure_ascii=False),
    )
    row.parts = [*row.parts[:1], card.wire()]
    row.done = False
    row.save(update_fields=["parts", "done"])
    turn.committed_parts = len(row.parts)
    return row


def claimed(
    turn: Turn,
    session: AgentSession | None = None,
    memory: Memory | None = None,
    *,
    parts: tuple[Part, ...] | None = None,
    model: str | None = None,
) -> ClaimedTurn:
    """Returns everything its host must know of a turn that it holds.

    What the caller does not have is read: the session, what that holds, the parts of the
    answer so far, the model that was chosen for the agent in the channel.
    """
    session = session or sessions.session_of(turn)
    workspace = turn.channel.workspace
    answer = turn.answer
    if parts is None:
        parts = saved_parts(answer) if answer else ()
    calls = turn.calls.filter(step=turn.steps) if turn.steps else ()
    return ClaimedTurn(
        lease=Lease(turn.id, turn.lease),
        channel=turn.channel_id,
        agent=turn.agent.name,
        agent_key=turn.agent_id,
        agent_enabled=turn.agent.enabled,
        agent_kind=turn.agent.kind,
        kind=turn.kind,
        argument=turn.argument,
        place=Place(
            workspace=workspace.id,
            workspace_number=workspace.number,
            user=turn.starter_id or 0,
            network=workspace.network,  # type: ignore[arg-type]  # choices of the column
        ),
        starter_language=(turn.starter.language if turn.starter else "") or turn.language,
        answer=answer.id if answer else "",
        parts=parts,
        session=session.pk,
        memory=memory_of(session) if memory is None else memory,
        calls=tuple(
            OpenCall(c.call_id, c.name, c.input, c.part_index, c.state, c.result, c.unreadable)
            for c in calls
        ),
        steps=turn.steps,
        unread=turn.unread,
        start_context=session.start_context,
        pending=tuple(session.pending_context),
        model=chosen_model(turn.channel_id, turn.agent.name) if model is None else model,
        session_model=session.model,
        toolset=turn.agent.toolset,
        cancel_asked=turn.cancel_asked,
        given_up=turn.attempts > MAX_ATTEMPTS,
    )
