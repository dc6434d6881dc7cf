"""Limits: how many tools run at once; those that share a key run one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

MAX_PARALLEL_TOOLS = 8


class KeyedQueue:
    """Lets holders of the same key in one after the other, in the order they asked."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def turn(self, key: str | None) -> AsyncIterator[None]:
        """Waits until everybody who asked before with the same key is through."""
        async with AsyncExitStack() as stack:
            if key is not None:
                await stack.enter_async_context(self._locks.setdefault(key, asyncio.Lock()))
            yield


class ToolLimits:
    """The rules of seed M §6.3: same key in call order, `MAX_PARALLEL_TOOLS` at a time."""

    def __init__(self, parallel: int = MAX_PARALLEL_TOOLS) -> None:
        self._keys = KeyedQueue()
        self._limiter = asyncio.Semaphore(parallel)  # first come, first served

    @asynccontextmanager
    async def place(self, key: str | None) -> AsyncIterator[None]:
        """Waits for the key first, so that nobody holds one of the places while they wait."""
        async with self._keys.turn(key), self._limiter:
            yield
