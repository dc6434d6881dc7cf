"""Runs the application under daphne, on one asyncio loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from daphne.server import Server, twisted_loop
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet import defer, reactor
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure

from maia_web.asgi import application, shutdown, startup
from maia_web.management.servers.listener import (
    BACKLOG,
    CLOSE_SECONDS,
    PING_SECONDS,
    PING_TIMEOUT_SECONDS,
    Listener,
)

logger = logging.getLogger(__name__)

SHUTDOWN_SECONDS = 10
HANDSHAKE_SECONDS = 20
NO_END = -1


class Socket(WebSocketProtocol):
    """A socket that says whether there is room: the producer of its own twisted transport.

    daphne gives a transport whatever the application sends, and it keeps what the client does not
    read. Here sending waits, as under uvicorn.
    """

    transport: Any

    def __init__(self) -> None:
        super().__init__()
        self.room = asyncio.Event()
        self.room.set()

    def connectionMade(self) -> None:
        """Takes the place of the HTTP channel that was upgraded."""
        super().connectionMade()
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, streaming=True)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Whoever waits for room need not wait any more."""
        self.room.set()
        super().connectionLost(reason)

    def dropConnection(self, abort: bool = False) -> None:
        """Ends, even if the client does not take what is left."""
        super().dropConnection(abort)
        if not abort:
            twisted_loop.call_later(CLOSE_SECONDS, self.transport.abortConnection)

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:
        """Writes at once what the kernel takes; only what is left waits for the loop.

        twisted writes nothing before the loop comes round to it: that is one more round for each
        key in a terminal, and a call of the selector to begin and to end.
        """
        wire = self.transport
        waits = self.send_queue or wire.dataBuffer or wire._tempDataBuffer
        if not waits and not sync and not chopsize and wire.connected and not wire.disconnecting:
            sent = wire.writeSomeData(data)
            if isinstance(sent, int):  # else the connection is lost: the loop will find out
                data = data[sent:]
        if data:
            super().sendData(data, sync, chopsize)

    def _sendAutoPing(self) -> None:
        """Asks whether the client is there, once at a time.

        autobahn forgets the time-out of a ping when it sends the next: nothing that came afterwards
        saved a client that was silent for the time between two, as one that slept for a moment.
        """
        if self.autoPingTimeoutCall is None:
            super()._sendAutoPing()

    def onPing(self, payload: bytes) -> None:
        """Answers while there is room: pongs nobody reads are bytes nobody reads."""
        if self.room.is_set():
            super().onPing(payload)

    def pauseProducing(self) -> None:
        """More than 64 KB are not written."""
        self.room.clear()

    def resumeProducing(self) -> None:
        """Everything is written."""
        self.room.set()

    def stopProducing(self) -> None:
        """The connection is gone."""
        self.room.set()


class _Server(Server):
    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Sends what the application says, when the socket has room for it."""
        if message["type"] == "websocket.send":
            await protocol.room.wait()
        await super().handle_reply(protocol, message)

    def kill_all_applications(self) -> Any:
        """Ends the application first, then its connections.

        Overrides daphne's, which breaks on a connection whose application is already done.
        """
        return defer.Deferred.fromFuture(asyncio.ensure_future(self._end()))

    async def _end(self) -> None:
        try:
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                await shutdown()
        except TimeoutError:
            logger.warning("Not everything ended within %d seconds.", SHUTDOWN_SECONDS)
        running = [
            details["application_instance"]
            for details in self.connections.values()
            if details.get("application_instance") is not None
        ]
        for each in running:
            each.cancel()
        if running:
            await asyncio.wait(running, timeout=CLOSE_SECONDS)


def run(listener: Listener, ready: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM; calls `ready` just before the first connection.

    daphne sends no lifespan events: its loop starts and stops the application itself.
    """
    asyncio.set_event_loop(twisted_loop)
    forwarded = "X-Forwarded-{}" if listener.trusts_proxy else ""

    def prepare() -> None:
        server.ws_factory.protocol = Socket
        # A message over the limit ends with close code 1009 instead of a dropped connection.
        server.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=CLOSE_SECONDS)
        twisted_loop.run_until_complete(startup())
        reactor.callWhenRunning(ready)  # by then it listens and a signal stops it

    address = listener.host.replace(":", r"\:")
    server = _Server(
        application,
        endpoints=[f"tcp:port={listener.port}:interface={address}:backlog={BACKLOG}"],
        ready_callable=prepare,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_TIMEOUT_SECONDS,
        websocket_timeout=NO_END,  # daphne would close what is a day old
        # hundreds that come back at once are let in one by one: thrown out, they would come again
        websocket_handshake_timeout=HANDSHAKE_SECONDS,
        websocket_max_message_size=listener.max_message,
        websocket_max_frame_size=listener.max_message,
        proxy_forwarded_address_header=forwarded.format("For") or None,
        proxy_forwarded_port_header=forwarded.format("Port") or None,
        proxy_forwarded_proto_header=forwarded.format("Proto") or None,
        verbosity=0,
        server_name="MAIA",
    )
    server.run()
