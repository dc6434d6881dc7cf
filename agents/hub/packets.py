"""Packets: frames on their way to sockets, encoded once, and only if somebody needs the bytes."""

from __future__ import annotations

from agents.domain.parts import utf16_length
from agents.protocol.frames import (
    ChannelReset,
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageRemoved,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    encode,
)

MERGE_LIMIT = 64 * 1024
OVERHEAD = 120
_DURABLE = (
    MessageUpdated
    | TurnChanged
    | PermissionRequested
    | PermissionResolved
    | MessageRemoved
    | ChannelReset
    | ChannelSnapshot
)


class Packet:
    """A frame for many readers. `seq` is set on durable frames, `text` on deltas that may merge."""

    __slots__ = ("_body", "frame", "seq", "text")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.seq = frame.seq if isinstance(frame, _DURABLE) else None
        self.text = _mergeable_text(frame)
        self._body: bytes | None = None

    @property
    def body(self) -> bytes:
        """The frame as JSON, encoded at the first reader."""
        if self._body is None:
            self._body = encode(self.frame)
        return self._body

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self.text) + OVERHEAD if self.text is not None else len(self.body)


def _mergeable_text(frame: Frame) -> str | None:
    if isinstance(frame, MessageDelta) and frame.part is None and frame.seconds is None:
        return frame.text
    return None


class Merged:
    """Text deltas that follow each other, as one frame for one slow reader."""

    __slots__ = ("_end", "_first", "_length", "_texts")

    def __init__(self, first: MessageDelta) -> None:
        self._first = first
        self._texts = [first.text or ""]
        self._length = len(self._texts[0])
        self._end = first.offset + utf16_length(self._texts[0])

    def take(self, item: Packet) -> bool:
        """Adds the next delta; False if it does not continue these, or they are long enough."""
        delta = item.frame
        if item.text is None or not isinstance(delta, MessageDelta):
            return False
        first = self._first
        if delta.message_id != first.message_id or delta.index != first.index:
            return False
        if delta.offset != self._end or self._length > MERGE_LIMIT:
            return False
        self._texts.append(item.text)
        self._length += len(item.text)
        self._end += utf16_length(item.text)
        return True

    @property
    def body(self) -> bytes:
        """One frame with all the text."""
        return encode(self._first.model_copy(update={"text": "".join(self._texts)}))


def packet(frame: Frame) -> Packet:
    """Wraps a frame for all its readers."""
    return Packet(frame)
