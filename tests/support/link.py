"""A TCP link in front of a server that a test can cut and mend, as a bad network does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

CHUNK = 64 * 1024


class Link:
    """Forwards connections to a port of this machine, while it is not cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._is_cut = False
        self.port = 0

    async def open(self, port: int = 0) -> None:
        """Listens on a port (a free one if none is named)."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Drops every connection, and each new one at once, until `mend`."""
        self._is_cut = True
        for task in tuple(self._tasks):
            task.cancel()

    def mend(self) -> None:
        """Lets connections through again."""
        self._is_cut = False

    async def close(self) -> None:
        """Ends everything."""
        self.cut()
        if self._server is not None:
            self._server.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if not self._is_cut:
                await self._forward(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # a cut link is what this is for
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, far_writer))
                group.create_task(_pump(far_reader, writer))
        finally:
            far_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()


@asynccontextmanager
async def open_link(target: int, port: int = 0) -> AsyncIterator[Link]:
    """Runs a link to `target` until the block ends; add its origin to the server's MAIA_ORIGINS."""
    link = Link(target)
    await link.open(port)
    try:
        yield link
    finally:
        await link.close()
