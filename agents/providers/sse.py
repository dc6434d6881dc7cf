"""SSE: splits a byte stream into the data of its events, whatever the chunking."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
LARGEST_EVENT = 8 * 1024 * 1024


class EventTooLarge(ValueError):
    """An event is longer than `LARGEST_EVENT` bytes; the stream cannot be read on."""


class SseParser:
    """Feeds on chunks, gives the data of each event; lines end with LF, CR or CRLF."""

    def __init__(self, largest: int = LARGEST_EVENT) -> None:
        self._largest = largest
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._held = 0
        self._after_cr = False
        self._at_start = True
        self.seen_any = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Returns the data of the events that `chunk` completes; raises `EventTooLarge`."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        lines = chunk.splitlines()
        if not lines:
            return []
        self._after_cr = chunk.endswith(b"\r")
        rest = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        events: list[bytes] = []
        for line in lines:
            self._take(line)
            self._end_line(events)
        self._take(rest)
        return events

    def finish(self) -> list[bytes]:
        """Returns what an event without its blank line held, when the stream is over."""
        events: list[bytes] = []
        self._end_line(events)
        self._end_event(events)
        return events

    def _take(self, piece: bytes) -> None:
        if piece:
            self._held += len(piece)
            if self._held > self._largest:
                raise EventTooLarge(f"an event of more than {self._largest} bytes")
            self._line.append(piece)

    def _end_line(self, events: list[bytes]) -> None:
        line = b"".join(self._line)
        self._line.clear()
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(BOM)
        if not line:
            self._end_event(events)
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif line == b"data":
            self._data.append(b"")
        else:
            self._held -= len(line)

    def _end_event(self, events: list[bytes]) -> None:
        if self._data:
            events.append(b"\n".join(self._data))
            self._data.clear()
            self.seen_any = True
        self._held = 0
