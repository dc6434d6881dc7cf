"""Lists: folds every frame into a person's list of conversations, as every client does.

Browsers fold with static/maia/reducers/lists.js; tests hold both against the same recorded frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.domain.content.messages import MOST_UNREAD, Arrival, ChannelInfo
from agents.protocol.frames import (
    ChannelChanged,
    ChannelGone,
    ChannelsChanged,
    ChannelUnread,
    Frame,
    WorkspaceInfo,
)


def apply_to_list(state: ChannelsChanged, frame: Frame, me: int) -> ChannelsChanged:
    """Returns the list of the person `me` after `frame`; what is of no concern changes nothing."""
    match frame:
        case ChannelsChanged():
            return frame
        case ChannelGone(channel=gone):
            return _with(state, (one for one in state.channels if one.id != gone))
        case ChannelUnread():
            return _with(state, (_counted(one, frame) for one in state.channels))
        case ChannelChanged():
            return _changed(state, frame, me)
        case _:
            return state


def _changed(state: ChannelsChanged, frame: ChannelChanged, me: int) -> ChannelsChanged:
    entry = frame.channel
    workspace = next((one for one in state.workspaces if one.id == entry.workspace), None)
    if workspace is None:
        return state
    known = next((one for one in state.channels if one.id == entry.id), None)
    unread, position = (known.unread, known.position) if known else (0, 0)
    others = (one for one in state.channels if one.id != entry.id)
    info = ChannelInfo(
        **{**entry.model_dump(), "waiting": len(entry.waiting)},
        role=workspace.role,
        may_answer=workspace.may_answer,
        for_me=for_me(entry.waiting, workspace, me),
        unread=min(MOST_UNREAD, unread + count_new(frame.arrivals, position, me)),
        position=max(position, frame.position),
    )
    return _with(state, sorted((*others, info), key=lambda one: one.id))


def for_me(starters: Sequence[int], workspace: WorkspaceInfo, me: int) -> int:
    """Returns how many of the requests that `starters` caused wait for the answer of `me`."""
    if workspace.may_answer:
        return len(starters)
    return 0 if workspace.role == "viewer" else starters.count(me)


def count_new(arrivals: Iterable[Arrival], position: int, me: int) -> int:
    """Returns how many messages after a position others have said."""
    return sum(one.position > position and one.author != me for one in arrivals)


def _counted(info: ChannelInfo, frame: ChannelUnread) -> ChannelInfo:
    if info.id != frame.channel:
        return info
    return info.model_copy(update={"unread": frame.unread, "position": frame.position})


def _with(state: ChannelsChanged, channels: Iterable[ChannelInfo]) -> ChannelsChanged:
    return state.model_copy(update={"channels": tuple(channels)})
