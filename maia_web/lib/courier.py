"""Courier: carries things to a server that may be silent, so that nobody else waits for it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that `send` waits at most, and that pass between two tries."""
MOST_WAITING = 20_000


class Courier(Generic[T]):
    """A thread that delivers what it is handed, in order, together what came together.

    `deliver` raises one of `failures` where the other side is away. What could not be delivered is
    lost: its receivers have to heal. `return_` is tried every second until it succeeds; it tells
    them to. `tell` hears whether the other side is away, from the courier's thread.
    """

    def __init__(
        self,
        name: str,
        deliver: Callable[[Sequence[T]], None],
        return_: Callable[[], None],
        failures: tuple[type[Exception], ...],
        tell: Callable[[bool], None] = lambda _away: None,
    ) -> None:
        self.name = name
        self._deliver = deliver
        self._return = return_
        self._failures = failures
        self._tell = tell
        self._news = threading.Condition()
        self._waiting: deque[T] = deque()
        self._handed = 0
        self._done = 0
        self._late = False
        self._lost = False
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def away(self) -> bool:
        """Whether the other side does not answer now."""
        return self._late

    def put(self, item: T) -> None:
        """Takes an item and returns at once."""
        with self._news:
            self._take(item)

    def send(self, item: T) -> None:
        """Takes an item; returns when it is delivered, or after a second.

        While the other side is known to be away it returns at once.
        """
        with self._news:
            self._take(item)
            mine = self._handed
            if self._late:
                return
            if not self._news.wait_for(lambda: self._done >= mine or self._late, PATIENCE):
                self._become(away=True)

    def flush(self, seconds: float) -> bool:
        """Waits until all is delivered that was taken so far; says whether it was."""
        with self._news:
            mine = self._handed
            return self._news.wait_for(lambda: self._done >= mine, seconds)

    def close(self) -> None:
        """Ends the thread after what it does now."""
        with self._news:
            self._closing = True
            self._news.notify_all()

    def _take(self, item: T) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self.name, daemon=True)
            self._thread.start()
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self._lost = True
        self._waiting.append(item)
        self._handed += 1
        self._news.notify_all()

    def _work(self) -> None:
        while (items := self._next()) is not None:
            try:
                self._deliver(items)
                if self._lost:
                    self._return()
                    self._lost = False
            except self._failures as failure:
                self._fail(failure)
            except Exception:
                logger.exception("%s could not deliver", self.name)
            with self._news:
                self._done += len(items)
                self._become(away=False)

    def _next(self) -> list[T] | None:
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._closing)
            if self._closing:
                return None
            items = list(self._waiting)
            self._waiting.clear()
            return items

    def _fail(self, failure: Exception) -> None:
        """Tries every second until the other side is back; what came before that try is lost.

        What comes while it is told of the return is not: nothing would make up for it.
        """
        logger.warning("%s: nobody answers (%s); trying again every second", self.name, failure)
        with self._news:
            self._become(away=True)
        while not self._closing:
            with self._news:
                self._news.wait_for(lambda: self._closing, PATIENCE)
                self._done += len(self._waiting)
                self._waiting.clear()
                self._lost = False
            try:
                self._return()
            except self._failures:
                continue
            logger.warning("%s: back again", self.name)
            break

    def _become(self, *, away: bool) -> None:
        if self._late != away:
            self._late = away
            self._tell(away)
        self._news.notify_all()
