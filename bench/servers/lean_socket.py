"""A WebSocket client that costs little enough to watch 500 sockets from one process."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import struct
import time
from collections.abc import Callable

DELTA = re.compile(rb"(\d+)@(\d+\.\d+) ")
PING = re.compile(rb'"type":"ping","n":(\d+)')


class Recorder:
    """What one socket received of one stream: delay of each delta in seconds, by its number."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.delays: list[float] = []
        self.next = 0
        self.first = self.last = 0.0
        self.done = asyncio.Event()

    def take(self, payload: bytes) -> None:
        """Reads the numbered deltas in a frame; what was seen before does not count again."""
        now = time.monotonic()
        for number, sent in DELTA.findall(payload):
            if int(number) != self.next:
                continue
            self.next += 1
            self.delays.append(now - float(sent))
            self.first = self.first or now
            self.last = now
        if self.next >= self.expected:
            self.done.set()


class LeanSocket(asyncio.Protocol):
    """Sends and receives frames; answers pings of both kinds."""

    def __init__(self, path: str, host: str, headers: dict[str, str]) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.on_payload: Callable[[bytes], None] = lambda _payload: None
        self.received = 0
        self._request = self._handshake(path, host, headers)
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    @staticmethod
    def _handshake(path: str, host: str, headers: dict[str, str]) -> bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket"]
        lines += ["Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before it opened"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self.opened.done():
            head, found, rest = bytes(self._buffer).partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                self.opened.set_exception(ConnectionError(head.decode("latin-1")[:200]))
                return
            self._buffer = bytearray(rest)
            self.opened.set_result(None)
        self._frames()

    def _frames(self) -> None:
        buffer, at = self._buffer, 0
        while len(buffer) - at >= 2:
            size, start = buffer[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(buffer[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, start = int.from_bytes(buffer[at + 2 : at + 10]), at + 10
            if start + size > len(buffer):
                break
            self._frame(buffer[at] & 0x0F, bytes(buffer[start : start + size]))
            at = start + size
        del buffer[:at]

    def _frame(self, kind: int, payload: bytes) -> None:
        if kind == 9:
            self.send(payload, kind=10)
            return
        self.received += len(payload)
        if len(payload) < 64 and (ping := PING.search(payload)):
            self.send(b'{"type":"pong","n":' + ping[1] + b"}")
            return
        self.on_payload(payload)

    def send(self, payload: bytes, *, kind: int = 1) -> None:
        """Sends one frame (1 text, 2 binary), masked with zeros."""
        assert self._transport is not None
        size = len(payload)
        head = bytes([0x80 | kind])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += b"\xfe" + struct.pack("!H", size)
        else:
            head += b"\xff" + struct.pack("!Q", size)
        self._transport.write(head + b"\0\0\0\0" + payload)

    def close(self) -> None:
        """Drops the connection."""
        if self._transport is not None:
            self._transport.abort()


async def connect(
    port: int, path: str, cookie: str = "", on_payload: Callable[[bytes], None] | None = None
) -> LeanSocket:
    """Opens a socket on this machine; `on_payload` gets the first message, too."""
    host = f"127.0.0.1:{port}"
    headers = {"Origin": f"http://{host}", **({"Cookie": cookie} if cookie else {})}
    socket = LeanSocket(path, host, headers)
    socket.on_payload = on_payload or socket.on_payload
    await asyncio.get_running_loop().create_connection(lambda: socket, "127.0.0.1", port)
    async with asyncio.timeout(60):
        await socket.opened
    return socket
