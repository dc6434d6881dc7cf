"""View: one socket that looks at a terminal, and what waits to be sent to it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from maia_web.lib.websocket_close import Close
from workspaces.terminals.frames import Answers, ServerFrame, TerminalError
from workspaces.terminals.scrollback import join

HOLD_BACK = 1_000_000
MOST_AT_ONCE = 256 * 1024
Refusal = tuple[TerminalError, Close]
Check = Callable[[], Awaitable[Refusal | None]]
"""Says why the person at a socket may not see the terminal any more, None while they may."""


async def no_refusal() -> None:
    """The check of a view without a socket."""


@dataclass(frozen=True, slots=True)
class Size:
    """A screen in characters."""

    cols: int
    rows: int


def _nothing() -> None:
    """What hears of a view without a terminal."""


@dataclass(slots=True, eq=False)
class View:
    """One socket on a terminal: what waits to be sent, and what it has not drawn yet.

    `unacked` is what the client says, `unwritten` what the server knows: a client may acknowledge
    what it never read. `relieved` is called when something was written.
    """

    check: Check = no_refusal
    relieved: Callable[[], None] = _nothing
    pending: deque[bytes | ServerFrame] = field(default_factory=deque)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    size: Size | None = None
    unacked: int = 0
    unwritten: int = 0
    heard: float = field(default_factory=time.monotonic)
    closed: Close | None = None
    _taken: int = 0

    @property
    def behind(self) -> int:
        """How many bytes the client has not drawn, or was not even sent."""
        return max(self.unacked, self.unwritten)

    def push(self, item: bytes | ServerFrame) -> None:
        """Adds something to send; the writer wakes up. No error that waits is said twice."""
        if self.closed:
            return
        if isinstance(item, bytes):
            if not self.behind:
                self.heard = time.monotonic()
            self.unacked += len(item)
            self.unwritten += len(item)
            join(self.pending, item)
        elif isinstance(item, Answers) and self.pending and isinstance(self.pending[-1], Answers):
            self.pending[-1] = item
        elif not isinstance(item, TerminalError) or item not in self.pending:
            self.pending.append(item)
        self.wake.set()

    def acknowledge(self, count: int) -> None:
        """The client has drawn `count` more bytes."""
        if self.unacked:
            self.heard = time.monotonic()
        self.unacked = max(0, self.unacked - count)

    def end(self, code: Close) -> None:
        """Lets the writer send what waits, then close with the first code given."""
        self.closed = self.closed or code
        self.over.set()
        self.wake.set()

    async def take(self) -> list[bytes | ServerFrame]:
        """Waits for something to send, at most 256 KB; bytes that follow each other come as one.

        Whoever takes again has written what they took before.
        """
        if self._taken:
            self.unwritten -= self._taken
            self._taken = 0
            self.heard = time.monotonic()
            self.relieved()
        await self.wake.wait()
        items = _joined(self._some())
        if not self.pending:
            self.wake.clear()
        self._taken = sum(len(item) for item in items if isinstance(item, bytes))
        return items

    def _some(self) -> Iterator[bytes | ServerFrame]:
        room = MOST_AT_ONCE
        while self.pending and room:
            item = self.pending.popleft()
            if isinstance(item, bytes):
                if len(item) > room:
                    self.pending.appendleft(item[room:])
                    item = item[:room]
                room -= len(item)
            yield item


def _joined(items: Iterable[bytes | ServerFrame]) -> list[bytes | ServerFrame]:
    joined: list[bytes | ServerFrame] = []
    run: list[bytes] = []
    for item in items:
        if isinstance(item, bytes):
            run.append(item)
            continue
        if run:
            joined.append(b"".join(run))
            run = []
        joined.append(item)
    if run:
        joined.append(b"".join(run))
    return joined
