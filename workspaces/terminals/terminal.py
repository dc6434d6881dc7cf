"""Terminal: one shell of one person, and the sockets that look at it."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from maia_web.lib.websocket_close import Close
from workspaces.domain.places import Place
from workspaces.terminals.frames import Answers, Exit, Replay, TerminalError
from workspaces.terminals.pty import Pty
from workspaces.terminals.scrollback import Scrollback
from workspaces.terminals.view import HOLD_BACK, Check, Size, View, no_refusal

SLOW_SECONDS = 10.0
_LOOK_SECONDS = SLOW_SECONDS / 4
_MOST_WAITING = 1_000


class Terminal:
    """A shell, its scrollback and its views.

    The smallest view gives the size. One view answers what programs ask of the terminal: the one
    that had the keyboard last, the newest at first; without any view nobody answers.
    """

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
        self._answering: View | None = None
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

    def attach(self, check: Check = no_refusal) -> View:
        """Returns a new view; it first gets the screen as it is."""
        view = View(check, self._balance)
        screen = self._scrollback.replay()
        view.push(Replay(bytes=len(screen)))
        if screen:
            view.push(screen)
        view.unacked = 0  # counted from here: clients may, but need not, acknowledge the replay
        self._views.append(view)
        self._answer_by(view)
        if self.code is not None:
            view.push(Exit(code=self.code))
        self.used = time.monotonic()
        return view

    def detach(self, view: View) -> None:
        """Forgets a view."""
        if view in self._views:
            self._views.remove(view)
        if view is self._answering:
            self._answer_by(next((one for one in reversed(self._views) if not one.closed), None))
        self.used = time.monotonic()
        self._fit()
        self._balance()

    def resize(self, view: View, size: Size) -> None:
        """Takes the size of one view."""
        view.size = size
        self._fit()

    def focus(self, view: View) -> None:
        """A view has the keyboard now, so it answers.

        Not while much waits for it or for the one that answered: whoever reads nothing is not told
        of each way the keyboard goes.
        """
        waiting = (len(one.pending) for one in (view, self._answering) if one is not None)
        if view in self._views and not view.closed and max(waiting) < _MOST_WAITING:
            self._answer_by(view)

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
        self._scrollback.append(chunk, self.pty.size)
        for view in self._views:
            view.push(chunk)
        self._balance()

    def _exited(self, code: int) -> None:
        self.code = code
        for view in self._views:
            view.push(Exit(code=code))
        self._on_end(self)

    def _answer_by(self, view: View | None) -> None:
        """From this byte on, this view answers and no other."""
        if view is self._answering:
            return
        if self._answering in self._views:
            self._answering.push(Answers(yes=False))
        self._answering = view
        if view is not None:
            view.push(Answers(yes=True))

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
