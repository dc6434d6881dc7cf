"""OpeningQueue: what sockets ask when they open, one question at a time, the most urgent first.

Hundreds of sockets may come at once. Whatever people do meanwhile waits for one of their questions
at most, and who looks at an empty page is served before those who still see what they had. While
others wait, a rest follows each turn that lasts as long: half of the time is left to what streams.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import IntEnum
from heapq import heappop, heappush
from itertools import count

MOST_REST = 0.033
"""Seconds."""


class Rank(IntEnum):
    """Who comes first."""

    OPENS = 0
    COMES_BACK = 1
    LISTS = 2


class OpeningQueue:
    """Gives turns. Only used on the server's loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[tuple[Rank, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._taken = False

    @asynccontextmanager
    async def turn(self, rank: Rank) -> AsyncIterator[None]:
        """Waits until it is one's turn; the next one's comes when the block ends."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._waiting, self._taken = loop, [], False
        if self._taken:
            await self._wait(rank, loop.create_future())
        self._taken = True
        began = loop.time()
        try:
            yield
        finally:
            self._end(loop, loop.time() - began)

    async def _wait(self, rank: Rank, turn: asyncio.Future[None]) -> None:
        heappush(self._waiting, (rank, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had just come
                self._pass_on()
            raise

    def _end(self, loop: asyncio.AbstractEventLoop, took: float) -> None:
        if self._waiting:
            loop.call_later(min(took, MOST_REST), self._pass_on)
        else:
            self._taken = False

    def _pass_on(self) -> None:
        while self._waiting:
            turn = heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False


opening_queue = OpeningQueue()
"""The queue of this process."""
