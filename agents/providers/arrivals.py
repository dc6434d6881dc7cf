"""Arrivals: what has come of a stream since it was last looked at, as one piece.

Real servers send one HTTP chunk an event, and a client gets them one by one although many came in
one packet. Whoever reads them one by one pays for each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress

MOST_AHEAD = 1024 * 1024
"""Bytes that are read before anybody wants them: then the server waits."""


async def arrived(source: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields the bytes of `source`, joined as far as they are there; raises what it raises."""
    waiting, more, room = bytearray(), asyncio.Event(), asyncio.Event()

    async def read() -> None:
        try:
            async for data in source:
                waiting.extend(data)
                more.set()
                if len(waiting) >= MOST_AHEAD:
                    room.clear()
                    await room.wait()
        finally:
            more.set()

    reader = asyncio.create_task(read(), name="model-stream")
    try:
        while waiting or not reader.done():
            if waiting:
                data = bytes(waiting)
                waiting.clear()
                room.set()
                yield data
            else:
                more.clear()
                await more.wait()
        await reader
    finally:
        reader.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await reader
