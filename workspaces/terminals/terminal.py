"""Terminal: one shell of one person, and the sockets that look at it."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from maia_web.lib.websocket_close import Close
from workspaces.domain.places import Place
from workspaces.terminals.frames import Exit, Replay, ServerFrame, TerminalError
from workspaces.terminals.pty import Pty
from workspaces.terminals.scrollback import Scrollback, join

HOLD_BACK = 1_000_000
MOST_AT_ONCE = 256 * 1024
SLOW_SECONDS = 10.0
_LOOK_SECONDS = SLOW_SECONDS / 4
Refusal = tuple[TerminalError, Close]
Check = Callable[[], Awaitable[Refusal | None]]
"""Says why the person at a socket may not see the terminal any more, None while they may."""


async def _no_refusal() -> None:
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

    check: Check = _no_refusal
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
        """Adds something to send; the socket's writer wakes up. What waits is not said twice."""
        if self.closed:
            return
        if isinstance(item, bytes):
            if not self.behind:
                self.heard = time.monotonic()
            self.unacked += len(item)
            self.unwritten += len(item)
            join(self.pending, item)
        elif item not in self.pending:
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


class Terminal:
    """A shell, its scrollback and its views. The smallest view gives the size."""

    def __init__(
        self, id: str, place: Place, name: str, on_end: Callable[[Terminal], None]
    ) -> None:
        self.id = id
        self.place = place
        self.name = name
        self.code: int | None = None
        self.used = time.monotonic()
        self.pty = Pty(self._said, self._exited)
        self._on_end = on_end
        self._views: list[View] = []
        self._scrollback = Scrollback()
        self._paused = False
        self._looks: asyncio.TimerHandle | None = None
        self._over = False
        self._doubts = 0
        self._sure = asyncio.Event()
        self._sure.set()

    @property
    def views(self) -> tuple[View, ...]:
        """The sockets that look at it."""
        return tuple(self._views)

    @property
    def watched(self) -> bool:
        """Whether any socket looks at it."""
        return bool(self._views)

    def attach(self, check: Check = _no_refusal) -> View:
        """Returns a new view; it first gets the screen as it is."""
        view = View(check, self._balance)
        screen = self._scrollback.replay()
        view.push(Replay(bytes=len(screen)))
        if screen:
            view.push(screen)
        view.unacked = 0  # counted from here: clients may, but need not, acknowledge the replay
        if self.code is not None:
            view.push(Exit(code=self.code))
        self._views.append(view)
        self.used = time.monotonic()
        return view

    def detach(self, view: View) -> None:
        """Forgets a view."""
        if view in self._views:
            self._views.remove(view)
        self.used = time.monotonic()
        self._fit()
        self._balance()

    def resize(self, view: View, size: Size) -> None:
        """Takes the size of one view."""
        view.size = size
        self._fit()

    def acknowledge(self, view: View, count: int) -> None:
        """A view has drawn `count` more bytes."""
        view.acknowledge(count)
        self._balance()

    @contextmanager
    def doubted(self) -> Iterator[None]:
        """What is typed meanwhile waits (`sure`): whoever types may have no right to any more."""
        self._doubts += 1
        self._sure.clear()
        try:
            yield
        finally:
            self._doubts -= 1
            if not self._doubts:
                self._sure.set()

    async def sure(self) -> None:
        """Returns when nobody doubts the rights of those who look at it."""
        await self._sure.wait()

    def type(self, data: bytes) -> bool:
        """Types into the shell; returns False if the program does not read.

        Into one that is being closed nobody types any more.
        """
        if self._over:
            return True
        self.used = time.monotonic()
        return self.pty.write(data)

    def note(self, sentence: str) -> None:
        """Shows a line of the server's own among what the programs say."""
        self._said(f"\r\n\x1b[33m[MAIA: {sentence}]\x1b[0m\r\n".encode())

    def drop_slow(self) -> None:
        """Lets go of views that hold the shell up and take nothing; they come back alone."""
        now = time.monotonic()
        for view in tuple(self._views):
            if view.behind > HOLD_BACK and now - view.heard > SLOW_SECONDS:
                view.end(Close.TOO_SLOW)
                self.detach(view)

    def end(self, error: TerminalError | None = None, code: Close = Close.TERMINAL_GONE) -> None:
        """Closes every view, after telling it why; nothing is typed any more."""
        self._over = True
        for view in self._views:
            if error is not None and not view.closed:
                view.push(error)
            view.end(code)

    def _said(self, chunk: bytes) -> None:
        self.used = time.monotonic()
        self._scrollback.append(chunk)
        for view in self._views:
            view.push(chunk)
        self._balance()

    def _exited(self, code: int) -> None:
        self.code = code
        for view in self._views:
            view.push(Exit(code=code))
        self._on_end(self)

    def _fit(self) -> None:
        sizes = [view.size for view in self._views if view.size is not None]
        if sizes:
            self.pty.resize(min(one.cols for one in sizes), min(one.rows for one in sizes))

    def _balance(self) -> None:
        """Reads on only while no view is more than 1 MB behind."""
        behind = any(view.behind > HOLD_BACK for view in self._views)
        if behind and not self._paused:
            self.pty.pause()
            self._look_soon()
        elif self._paused and not behind:
            self.pty.resume()
        self._paused = behind

    def _look_soon(self) -> None:
        if self._looks is None:
            loop = asyncio.get_running_loop()
            self._looks = loop.call_later(_LOOK_SECONDS, self._look, context=contextvars.Context())

    def _look(self) -> None:
        self._looks = None
        self.drop_slow()
        if self._paused:
            self._look_soon()


Allowed = Callable[[], Awaitable[bool]]
