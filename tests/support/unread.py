"""A client that acknowledges and never reads, and what a server's process holds meanwhile."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
from websockets.frames import Frame, Opcode

from tests.support.server import MaiaServer

MB = 1_000_000
_EVERY_MS = 20


def handshake(server: MaiaServer, client: httpx.Client, path: str) -> socket.socket:
    """Asks for a WebSocket and reads nothing of the answer."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    lines = [
        f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Origin: {server.url}",
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Cookie: {cookies}", "", "",
    ]  # fmt: skip
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall("\r\n".join(lines).encode())
    return connection


class Unread:
    """A socket that is written to and never read, with the smallest buffer there is."""

    def __init__(self, server: MaiaServer, client: httpx.Client, path: str) -> None:
        self._connection = handshake(server, client, path)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        self._poll = select.poll()
        self._poll.register(self._connection, select.POLLERR | select.POLLHUP)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def say(self, frame: dict[str, object] | bytes) -> None:
        """Sends a frame of JSON, or bytes."""
        if isinstance(frame, bytes):
            message = Frame(Opcode.BINARY, frame)
        else:
            message = Frame(Opcode.TEXT, json.dumps(frame).encode())
        self._connection.sendall(message.serialize(mask=True))

    def acknowledge_until(
        self, done: Callable[[], bool], frames: Iterable[dict[str, object]]
    ) -> bool:
        """Says these again and again; returns whether the server cut it off before `done`."""
        said = tuple(frames)
        try:
            while not done():
                for frame in said:
                    self.say(frame)
                if self._poll.poll(_EVERY_MS):
                    return True
        except ConnectionError:
            return True
        return False


class Memory:
    """The most memory that a process holds from now on, beside what it holds now."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        self._before = self._read("VmRSS")

    def grown(self) -> float:
        """Returns MB."""
        return (self._read("VmHWM") - self._before) / 1000

    def _read(self, name: str) -> int:
        lines = self._status.read_text().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])
