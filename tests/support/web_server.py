"""A plain HTTP server of the tests: paths to answers, in raw bytes where that matters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Play = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class WebServer:
    """Serves `pages`; `requests` are the heads as they came."""

    port: int = 0
    pages: dict[str, bytes | Play] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def put(
        self,
        path: str,
        body: bytes | str,
        kind: str = "text/html",
        status: str = "200 OK",
        **more: str,
    ) -> None:
        content = body.encode() if isinstance(body, str) else body
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Connection: close"]
        head += [f"Content-Type: {kind}"] if kind else []
        head += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
        self.pages[path] = "\r\n".join(head).encode() + b"\r\n\r\n" + content

    def move(self, path: str, to: str, status: str = "302 Found") -> None:
        self.put(path, b"", status=status, Location=to)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.requests.append(head)
            page = self.pages.get(head.split(" ")[1], b"HTTP/1.1 404 Not Found\r\n\r\n")
            if isinstance(page, bytes):
                writer.write(page)
                await writer.drain()
            else:
                await page(writer)
        with suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def web_server(host: str = "127.0.0.1") -> AsyncIterator[WebServer]:
    """A server on a free port until the block ends."""
    served = WebServer()
    listening = await asyncio.start_server(served._serve, host, 0)
    served.port = listening.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        listening.close()


def answers(*addresses: str) -> Callable[[str, int], Awaitable[list[str]]]:
    """A resolver that answers every name with these addresses."""

    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve
