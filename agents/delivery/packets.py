"""Packets: frames on their way to sockets, encoded once, and only if somebody needs the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agents.domain.content.parts import utf16_length
from agents.protocol.frames import (
    ChannelCurrent,
    ChannelReset,
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageRemoved,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    Piece,
    TurnChanged,
    encode,
)
from maia_web.lib.ids import new_id

MAX_BODY = 256 * 1024
"""Bytes of one WebSocket message at most: proxies, servers and browsers all take that."""
PIECE = 96 * 1024
"""Bytes of a frame in one piece: written as text in JSON they at most double."""
MERGE_LIMIT = 32 * 1024
OVERHEAD = 120
_DURABLE = (
    MessageUpdated
    | TurnChanged
    | PermissionRequested
    | PermissionResolved
    | MessageRemoved
    | ChannelReset
    | ChannelCurrent
    | ChannelSnapshot
)


class Packet:
    """A frame for many readers. `seq` is set on durable frames, `delta` on text that may merge.

    What waits for a slow reader is bytes alone: the frame is let go once it is encoded.
    """

    __slots__ = ("_body", "_frame", "_pieces", "delta", "seq", "text")

    def __init__(self, frame: Frame) -> None:
        self._frame: Frame | None = frame
        self.delta = _mergeable(frame)
        self.text = "" if self.delta is None else self.delta.text or ""
        self.seq = frame.seq if isinstance(frame, _DURABLE) else None
        self._body: bytes | None = None
        self._pieces: tuple[Packet, ...] | None = None

    @property
    def pieces(self) -> tuple[Packet, ...]:
        """The packet itself, or several that carry it where it is longer than a message may be."""
        if self._pieces is None:
            self._pieces = (self,) if self._is_short() else tuple(_pieces(self.body))
        return self._pieces

    def _is_short(self) -> bool:
        if self.delta is not None and len(self.text) <= MERGE_LIMIT:
            return True  # whatever its letters are
        return len(self.body) <= MAX_BODY

    @property
    def body(self) -> bytes:
        """The frame as JSON, encoded at the first reader."""
        if self._body is None and self._frame is not None:
            self._body, self._frame = encode(self._frame), None
        return self._body or b""

    def encoded(self) -> Packet:
        """Returns itself, as bytes alone from now on."""
        self._body = self.body
        return self

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self.text) + OVERHEAD if self.delta is not None else len(self.body)


def _mergeable(frame: Frame) -> MessageDelta | None:
    if isinstance(frame, MessageDelta) and frame.part is None and frame.seconds is None:
        return frame
    return None


def _pieces(body: bytes) -> Iterator[Packet]:
    id = new_id()
    texts = list(_cut(body, PIECE))
    for at, text in enumerate(texts):
        yield Packet(Piece(id=id, at=at, of=len(texts), text=text)).encoded()


def _cut(body: bytes, size: int) -> Iterator[str]:
    """Yields the text of `body` in pieces of at most so many bytes, no letter cut in two."""
    begin = 0
    while begin < len(body):
        end = min(begin + size, len(body))
        while end < len(body) and body[end] & 0xC0 == 0x80:
            end -= 1
        yield body[begin:end].decode()
        begin = end


class _Run:
    """Text deltas of one part, each of which begins where the one before it ends."""

    __slots__ = ("_end", "_first", "_length", "_packets")

    def __init__(self, item: Packet, first: MessageDelta) -> None:
        self._first = first
        self._packets = [item]
        self._length = len(item.text)
        self._end = first.offset + utf16_length(item.text)

    def takes(self, item: Packet) -> bool:
        """Adds the next delta; False if it does not continue these, or they are long enough."""
        delta, first = item.delta, self._first
        if delta is None or delta.message_id != first.message_id or delta.index != first.index:
            return False
        if delta.offset != self._end or self._length + len(item.text) > MERGE_LIMIT:
            return False
        self._packets.append(item)
        self._length += len(item.text)
        self._end += utf16_length(item.text)
        return True

    def packet(self) -> Packet:
        """One packet with all the text."""
        if len(self._packets) == 1:
            return self._packets[0]
        text = "".join(item.text for item in self._packets)
        return Packet(self._first.model_copy(update={"text": text}))


def merged(packets: Iterable[Packet]) -> list[Packet]:
    """Returns the packets, with text that goes on in the next one joined to it."""
    found: list[Packet | _Run] = []
    for item in packets:
        last = found[-1] if found else None
        if isinstance(last, _Run) and last.takes(item):
            continue
        found.append(item if item.delta is None else _Run(item, item.delta))
    return [one.packet() if isinstance(one, _Run) else one for one in found]


def together(packets: Sequence[Packet]) -> list[bytes]:
    """Returns packets as WebSocket messages: each is a frame, or a list of frames.

    As few as there can be, none above `MAX_BODY` bytes.
    """
    if len(packets) == 1:
        return [packets[0].body]
    messages: list[bytes] = []
    batch: list[bytes] = []
    size = 2
    for item in merged(packets):
        body = item.body
        if batch and size + len(body) > MAX_BODY:
            messages.append(_message(batch))
            batch, size = [], 2
        batch.append(body)
        size += len(body) + 1
    messages.append(_message(batch))
    return messages


def _message(bodies: list[bytes]) -> bytes:
    return bodies[0] if len(bodies) == 1 else b"[" + b",".join(bodies) + b"]"


def packet(frame: Frame) -> Packet:
    """Wraps a frame for all its readers."""
    return Packet(frame)
