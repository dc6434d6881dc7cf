"""The screen of a terminal, over a real WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import websockets

from tests.support.server import MaiaServer

SECONDS = 180.0


class Screen:
    """What one socket of a terminal has shown."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection
        self.shown = ""

    async def run(self, line: str, until: str) -> None:
        """Types a line and waits until something stands on the screen."""
        await self.connection.send(f"{line}\r".encode())
        async with asyncio.timeout(SECONDS):
            while until not in self.shown:
                self._take(await self.connection.recv())

    async def closed(self, seconds: float = SECONDS) -> int | None:
        """Returns the code with which the server closes it."""
        async with asyncio.timeout(seconds):
            try:
                while True:
                    self._take(await self.connection.recv())
            except websockets.ConnectionClosed:
                return self.connection.close_code

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self.shown += message.decode(errors="replace")


@asynccontextmanager
async def screen_of(
    server: MaiaServer, client: httpx.Client, terminal: str
) -> AsyncIterator[Screen]:
    """Opens the socket of a terminal with the client's cookies."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    async with websockets.connect(
        f"ws://127.0.0.1:{server.port}/ws/terminal/{terminal}",
        origin=websockets.Origin(server.url),
        additional_headers={"Cookie": cookies},
        compression=None,
        proxy=None,
    ) as connection:
        yield Screen(connection)
