"""Scrollback: the last bytes of a terminal, bounded, cut where a screen can begin."""

from __future__ import annotations

from collections import deque
from typing import Any

CAP = 256 * 1024
_SEARCH = 16 * 1024
_SMALL = 4096


class Scrollback:
    """Keeps at least the last `cap` bytes (and little more)."""

    def __init__(self, cap: int = CAP) -> None:
        self._cap = cap
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._cut = False

    def append(self, chunk: bytes) -> None:
        """Adds what the terminal said; forgets the oldest."""
        join(self._chunks, chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._cap:
            self._size -= len(self._chunks.popleft())
            self._cut = True

    def replay(self) -> bytes:
        """Returns the last bytes, at most `cap`, from a safe boundary on."""
        content = b"".join(self._chunks)
        start = max(0, len(content) - self._cap)
        if not start and not self._cut:
            return content
        return content[safe_start(content, start) :]


def join(chunks: deque[Any], chunk: bytes) -> None:
    """Adds a chunk; to the last one while both are small, since a byte alone takes 34."""
    last = chunks[-1] if chunks else None
    if isinstance(last, bytes) and len(last) + len(chunk) <= _SMALL:
        chunks[-1] = last + chunk
    else:
        chunks.append(chunk)


def safe_start(content: bytes, start: int) -> int:
    """Returns a position from `start` on that is not inside a line, a sequence or a character."""
    line = content.find(b"\n", start, start + _SEARCH)
    if line >= 0:
        return line + 1
    escape = content.find(b"\x1b", start, start + _SEARCH)
    if escape >= 0:
        return escape
    while start < len(content) and content[start] & 0xC0 == 0x80:
        start += 1
    return start
