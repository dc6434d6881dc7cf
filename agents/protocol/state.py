"""State: folds every frame of a channel into its snapshot, as every client does.

Browsers fold with static/maia/reducers; tests hold both against the same recorded frames.
"""

from __future__ import annotations

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.messages import Message
from agents.domain.content.transcript import OutOfOrder
from agents.domain.rules.requests import PermissionRequest
from agents.protocol.fold import fold_delta
from agents.protocol.frames import (
    ChannelCurrent,
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageRemoved,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UsageChanged,
)

Durable = MessageUpdated | MessageRemoved | TurnChanged | PermissionRequested | PermissionResolved


def apply_frame(state: ChannelSnapshot, frame: Frame) -> ChannelSnapshot:
    """Returns the state after `frame`; what is known already, or of no concern, changes nothing.

    Raises `OutOfOrder` on a gap: the client has to subscribe again.
    """
    if getattr(frame, "channel", None) != state.channel.id:
        return state
    match frame:
        case MessageDelta():
            return _delta(state, frame)
        case ChannelCurrent():
            return _current(state, frame)
        case UsageChanged(agent=agent, usage=usage):
            return state.model_copy(update={"usage": {**state.usage, agent: usage}})
        case (
            MessageUpdated()
            | MessageRemoved()
            | TurnChanged()
            | PermissionRequested()
            | PermissionResolved()
        ):
            return _durable(state, frame)
        case _:
            return state


def _current(state: ChannelSnapshot, frame: ChannelCurrent) -> ChannelSnapshot:
    if frame.seq != state.seq:
        raise OutOfOrder(f"{frame.seq} is not {state.seq}")
    if frame.message_id is None:
        return state
    found = next((one for one in state.messages if one.id == frame.message_id), None)
    if found is None:
        raise OutOfOrder(f"the unknown message {frame.message_id} is written")
    changed = found.model_copy(update={"parts": frame.parts or ()})
    return state.model_copy(update={"messages": _upsert(state.messages, changed)})


def _durable(state: ChannelSnapshot, frame: Durable) -> ChannelSnapshot:
    if frame.seq <= state.seq:
        return state
    if frame.seq > state.seq + 1:
        raise OutOfOrder(f"frame {frame.seq} after {state.seq}")
    changes = _changes(state, frame)
    return state.model_copy(update={"seq": frame.seq, **changes})


def _changes(state: ChannelSnapshot, frame: Durable) -> dict[str, object]:
    match frame:
        case MessageUpdated(message=message):
            return {"messages": _upsert(state.messages, message)}
        case MessageRemoved(message_id=gone):
            return {"messages": tuple(one for one in state.messages if one.id != gone)}
        case TurnChanged(busy=busy, queued=queued, answering=answering):
            return {"busy": busy, "queued": queued, "answering": answering}
        case PermissionRequested(request=request):
            others = tuple(one for one in state.permissions if one.id != request.id)
            return {"permissions": (*others, request)}
        case PermissionResolved():
            return {"permissions": tuple(_resolved(one, frame) for one in state.permissions)}


def _resolved(request: PermissionRequest, frame: PermissionResolved) -> PermissionRequest:
    if request.id != frame.id:
        return request
    return request.model_copy(update={"state": frame.state, "answer": frame.answer})


def _upsert(messages: tuple[Message, ...], message: Message) -> tuple[Message, ...]:
    others = [one for one in messages if one.id != message.id]
    return tuple(sorted([*others, message], key=lambda one: one.position))


def _is_void(state: ChannelSnapshot, delta: MessageDelta) -> bool:
    """Whether it comes from a host that lost the answer to another one."""
    answering = state.answering
    known = answering is not None and answering.message_id == delta.message_id
    return known and answering is not None and delta.lease < answering.lease


def _delta(state: ChannelSnapshot, frame: MessageDelta) -> ChannelSnapshot:
    found = next((one for one in state.messages if one.id == frame.message_id), None)
    if found is None:
        raise OutOfOrder(f"a delta for the unknown message {frame.message_id}")
    if found.done or _is_void(state, frame):
        return state
    live = LiveParts(found.parts)
    fold_delta(live, frame)
    changed = found.model_copy(update={"parts": live.parts})
    return state.model_copy(update={"messages": _upsert(state.messages, changed)})
