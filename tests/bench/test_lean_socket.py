"""The client of the bench misses nothing that a server sends."""

from __future__ import annotations

import asyncio

from bench.servers.lean_socket import connect

SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


def frame(payload: bytes) -> bytes:
    """A text frame, as servers send it."""
    size = len(payload)
    head = bytes([0x81, size]) if size < 126 else b"\x81\x7e" + size.to_bytes(2)
    return head + payload


async def heard(*packets: bytes, count: int) -> list[bytes]:
    """Returns the first messages of a server that sends these packets behind its greeting."""
    said: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for packet in packets:
            writer.write(packet)
            await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with asyncio.timeout(30):
        socket = await connect(server.sockets[0].getsockname()[1], "/", on_payload=said.put_nowait)
        found = [await said.get() for _ in range(count)]
    socket.close()
    server.close()
    return found


async def test_what_comes_with_the_greeting_is_heard() -> None:
    assert await heard(SWITCH + frame(b"first"), count=1) == [b"first"]


async def test_frames_may_be_cut_and_joined_anywhere() -> None:
    long = b"x" * 300
    sent = SWITCH + frame(b"one") + frame(long) + frame(b"three")
    pieces = [sent[start : start + 7] for start in range(0, len(sent), 7)]
    assert await heard(*pieces, count=3) == [b"one", long, b"three"]
