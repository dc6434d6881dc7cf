"""Live output: what a running tool says reaches people at most every 100 ms."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from agents.domain.content.storable import storable

INTERVAL = 0.1
KEPT = 12_000


class LiveOutput:
    """Keeps the end of a running tool's output and shows it now and then."""

    def __init__(self, show: Callable[[str], Awaitable[None]], interval: float = INTERVAL) -> None:
        self._show = show
        self._interval = interval
        self._tail = ""
        self._news = asyncio.Event()
        self._closed = asyncio.Event()

    def add(self, text: str) -> None:
        """Appends output; returns at once. Only the last `KEPT` characters are kept."""
        self._tail = (self._tail + text[-KEPT:])[-KEPT:]
        self._news.set()

    def close(self) -> None:
        """Lets `run` end; what was not shown yet is left to the final output."""
        self._closed.set()
        self._news.set()

    async def run(self) -> None:
        """Shows the output until `close`."""
        while True:
            await self._news.wait()
            if self._closed.is_set():
                return
            self._news.clear()
            await self._show(storable(self._tail))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval):
                    await self._closed.wait()
