"""Scrollback: the last bytes of a terminal, and the state in which the bytes before left it."""

from __future__ import annotations

from collections import deque
from typing import Any

from workspaces.terminals.modes import Modes
from workspaces.terminals.screen import Screen

CAP = 256 * 1024
STEP = 32 * 1024
_SMALL = 4096


class Scrollback:
    """Keeps at most the last `cap` bytes; what was before is drawn, then forgotten."""

    def __init__(self, cap: int = CAP, step: int = STEP) -> None:
        self._cap, self._step = cap, step
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._modes = Modes()
        self._screen: Screen | None = None

    def append(self, chunk: bytes, size: tuple[int, int]) -> None:
        """Adds what was said on a screen of so many columns and rows."""
        join(self._chunks, chunk)
        self._size += len(chunk)
        if self._size > self._cap:
            self._draw(self._oldest(self._size - self._cap + self._step), size)

    def replay(self) -> bytes:
        """Returns what makes a fresh terminal show what this one does, in the same modes.

        It is a state and the bytes that followed; the modes come before all else.
        """
        kept = b"".join(self._chunks)
        if self._screen is None:
            return kept
        drawn = self._screen.written()
        return b"".join((self._modes.written(), drawn, self._modes.unfinished, kept))

    def _draw(self, data: bytes, size: tuple[int, int]) -> None:
        if self._screen is None:
            self._screen = Screen(*size)
        self._screen.resize(*size)
        self._screen.draw(self._modes.read(data))

    def _oldest(self, count: int) -> bytes:
        """Takes the oldest bytes out, `count` if there are so many."""
        taken: list[bytes] = []
        while count > 0 and self._chunks:
            chunk = self._chunks.popleft()
            if len(chunk) > count:
                self._chunks.appendleft(chunk[count:])
                chunk = chunk[:count]
            taken.append(chunk)
            count -= len(chunk)
            self._size -= len(chunk)
        return b"".join(taken)


def join(chunks: deque[Any], chunk: bytes) -> None:
    """Adds a chunk; to the last one while both are small, since a byte alone takes 34."""
    last = chunks[-1] if chunks else None
    if isinstance(last, bytes) and len(last) + len(chunk) <= _SMALL:
        chunks[-1] = last + chunk
    else:
        chunks.append(chunk)
