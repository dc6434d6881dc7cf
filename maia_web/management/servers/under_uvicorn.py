"""Runs the application under uvicorn (the extra `uvicorn`): less CPU per delivery."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

import uvicorn
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from maia_web.asgi import application
from maia_web.management.servers.listener import (
    BACKLOG,
    CLOSE_SECONDS,
    PING_SECONDS,
    PING_TIMEOUT_SECONDS,
    Listener,
)


class _Socket(WebSocketsSansIOProtocol):
    """A socket that ends even if its client does not take what is left.

    Sending waits for room already, closing too: without an end it would for ever.
    """

    async def send(self, message: ASGISendEvent) -> None:
        """Sends what the application says, when there is room for it."""
        if message["type"] == "websocket.close":
            self._cut_off_soon()
        await super().send(message)

    async def run_asgi(self) -> None:
        """Runs the application, then closes."""
        try:
            await super().run_asgi()
        finally:
            self._cut_off_soon()

    def keepalive_timeout(self) -> None:
        """The client does not answer, so it may not read either."""
        super().keepalive_timeout()
        self._cut_off_soon()

    def handle_ping(self) -> None:
        """Answers while there is room: pongs nobody reads are bytes nobody reads."""
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(pong)

    def _cut_off_soon(self) -> None:
        self.loop.call_later(CLOSE_SECONDS, self.transport.abort)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()


def run(listener: Listener, ready: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM; calls `ready` just before the first connection."""
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    config = uvicorn.Config(
        application,
        host=listener.host,
        port=listener.port,
        backlog=BACKLOG,
        lifespan="on",
        ws=_Socket,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=listener.trusts_proxy,
        forwarded_allow_ips="*" if listener.trusts_proxy else None,
        ws_max_size=listener.max_message,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_TIMEOUT_SECONDS,
        ws_per_message_deflate=False,  # it would cost 40 to 55 % more CPU per delivery
        timeout_graceful_shutdown=CLOSE_SECONDS,
    )
    _Server(config, ready).run()
