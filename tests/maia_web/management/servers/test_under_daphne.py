"""Sockets under daphne, by a clock of the test: who is cut off for silence, and who is not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from daphne import server as daphne
from daphne import ws_protocol
from twisted.internet import task, testing
from websockets.frames import Frame, Opcode

from maia_web.management.servers.listener import PING_SECONDS, PING_TIMEOUT_SECONDS
from maia_web.management.servers.under_daphne import NO_END, Socket

Server: Any = daphne.Server  # untyped, as what follows
Factory: Any = ws_protocol.WebSocketFactory
StringTransport: Any = testing.StringTransport
HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PING_BYTES = 12
HEAD = bytes([0x89, PING_BYTES])
DAY = 24 * 3600


class Transport(StringTransport):  # type: ignore[misc]  # untyped
    """A connection whose kernel takes at once what `room` says, and the rest when it is told."""

    connected = True

    def __init__(self) -> None:
        super().__init__()
        self.room = 1_000_000
        self.dataBuffer = b""
        self._tempDataBuffer: list[bytes] = []
        self.sends = 0

    def writeSomeData(self, data: bytes) -> int:
        """Takes what there is room for."""
        self.sends += 1
        taken = data[: self.room]
        self.room -= len(taken)
        super().write(taken)
        return len(taken)

    def write(self, data: bytes) -> None:
        """Keeps it until there is room, as twisted does."""
        self._tempDataBuffer.append(data)

    def has_room(self) -> None:
        """The loop comes round to it."""
        super().write(b"".join(self._tempDataBuffer))
        self._tempDataBuffer.clear()
        self.room = 1_000_000


@dataclass
class Peer:
    """A client that reads and says what the test wants; `clock` is the server's."""

    clock: Any
    socket: Any
    transport: Any

    def later(self, seconds: float) -> None:
        """Lets time pass; then daphne looks after its sockets, as it does every two seconds."""
        self.clock.advance(seconds)
        self.socket.last_ping -= seconds
        self.socket.socket_opened -= seconds
        self.socket.check_timeouts()

    def pings(self) -> list[bytes]:
        """Returns what the server asked so far."""
        said = self.transport.value()
        size = len(HEAD) + PING_BYTES
        frames = [said[at : at + size] for at in range(0, len(said), size)]
        assert all(one.startswith(HEAD) for one in frames)
        return [one.removeprefix(HEAD) for one in frames]

    def answer(self, *pings: bytes) -> None:
        """Answers these."""
        for ping in pings:
            self.socket.dataReceived(Frame(Opcode.PONG, ping).serialize(mask=True))

    @property
    def is_cut_off(self) -> bool:
        """Whether the server dropped the connection."""
        return bool(self.transport.disconnecting or self.transport.disconnected)


@pytest.fixture
async def peer() -> Peer:
    """A client whose socket is open."""
    opened = asyncio.Event()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        del scope
        await receive()
        await send({"type": "websocket.accept"})
        opened.set()
        await receive()

    server = Server(
        application, endpoints=["none"], ping_interval=PING_SECONDS, websocket_timeout=NO_END
    )
    server.connections = {}
    factory = Factory(server)
    factory.protocol = Socket
    factory.setProtocolOptions(autoPingTimeout=PING_TIMEOUT_SECONDS)
    clock: Any = task.Clock()
    factory._batched_timer = SimpleNamespace(call_later=clock.callLater)
    socket = factory.buildProtocol(None)
    socket._raw_query_string = b""
    transport = Transport()
    transport.registerProducer(object(), streaming=True)  # daphne's, of the request
    socket.makeConnection(transport)
    socket.dataReceived(HANDSHAKE)
    async with asyncio.timeout(5):
        await opened.wait()
    transport.clear()
    return Peer(clock, socket, transport)


async def test_who_answers_late_but_in_time_keeps_the_socket(peer: Peer) -> None:
    peer.later(PING_SECONDS + 1)
    peer.later(PING_SECONDS + 1)  # silent for longer than from one ping to the next
    peer.answer(*peer.pings())
    for _ in range(5):
        peer.later(PING_SECONDS + 1)
        assert not peer.is_cut_off
        peer.answer(peer.pings()[-1])


async def test_who_says_something_late_but_in_time_keeps_the_socket(peer: Peer) -> None:
    peer.later(PING_SECONDS + 1)
    peer.later(PING_SECONDS + 1)
    peer.socket.dataReceived(Frame(Opcode.TEXT, b"{}").serialize(mask=True))
    peer.later(PING_TIMEOUT_SECONDS - PING_SECONDS)
    assert not peer.is_cut_off


async def test_who_answers_no_more_is_cut_off(peer: Peer) -> None:
    peer.later(PING_SECONDS + 1)
    peer.answer(*peer.pings())
    peer.later(PING_SECONDS + 1)
    peer.later(PING_SECONDS + 1)
    assert not peer.is_cut_off
    peer.later(PING_TIMEOUT_SECONDS - PING_SECONDS)
    assert peer.is_cut_off


async def test_a_socket_lives_for_as_long_as_its_client(peer: Peer) -> None:
    for _ in range(DAY // PING_SECONDS + 1):
        peer.later(PING_SECONDS + 1)
        peer.answer(peer.pings()[-1])
        peer.transport.clear()
    assert not peer.is_cut_off


def frame(text: str) -> bytes:
    return bytes(Frame(Opcode.TEXT, text.encode()).serialize(mask=False))


async def test_what_is_sent_is_written_at_once_and_what_has_no_room_follows_in_order(
    peer: Peer,
) -> None:
    peer.socket.serverSend("one")
    assert peer.transport.value() == frame("one")
    peer.transport.room = 2
    for text in ("two", "three", "four"):
        peer.socket.serverSend(text)
    assert peer.transport.value() == frame("one") + frame("two")[:2]
    peer.transport.has_room()
    peer.socket.serverSend("five")
    said = b"".join(frame(text) for text in ("one", "two", "three", "four", "five"))
    assert peer.transport.value() == said
