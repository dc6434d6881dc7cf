"""Arrivals: what has come of a stream since it was last looked at, as one piece.

Real servers send one HTTP chunk an event, and a client gets them one by one although many came in
one packet. Whoever reads them one by one pays for each. One timer serves a whole stream, however
often its deadline moves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from types import TracebackType
from typing import Self

MOST_AHEAD = 1024 * 1024
"""Bytes that are read before anybody wants them: then the server waits."""


class Arrivals:
    """Reads `source` ahead of whoever takes from it, and closes it; for `async with`."""

    def __init__(self, source: AsyncGenerator[bytes, None]) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._room = asyncio.Event()
        self._taker: asyncio.Future[None] | None = None
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._read(), name="model-stream")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._reader
        await self._source.aclose()

    async def take(self, until: float) -> bytes | None:
        """Returns what has come, joined, or waits for some; None at the end.

        Raises `TimeoutError` when nothing came until then (the loop's time), and what the source
        raises once all before it is taken. Only one may wait at a time.
        """
        reader = self._reader
        if reader is None:
            raise RuntimeError("not entered")
        if not self._waiting and not reader.done():
            await self._news(until)
        if not self._waiting:
            await reader
            return None
        data = bytes(self._waiting)
        self._waiting.clear()
        self._room.set()
        return data

    async def _news(self, until: float) -> None:
        self._until = until
        self._taker = self._loop.create_future()
        if self._timer is None or until < self._timer.when():
            self._set_timer()
        try:
            await self._taker
        finally:
            self._taker = None

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._until, self._ring)

    def _ring(self) -> None:
        """The deadline there was when the timer was set; by now it may be a later one."""
        self._timer = None
        if self._taker is None or self._taker.done():
            return
        if self._until > self._loop.time():
            self._set_timer()
        else:
            self._taker.set_exception(TimeoutError())

    async def _read(self) -> None:
        try:
            async for data in self._source:
                self._waiting += data
                if len(self._waiting) >= MOST_AHEAD:
                    self._room.clear()
                    self._wake()
                    await self._room.wait()
                elif data:
                    self._wake()
        finally:
            self._wake()

    def _wake(self) -> None:
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(None)
