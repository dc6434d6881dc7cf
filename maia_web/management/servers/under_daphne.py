"""Runs the application under daphne, on one asyncio loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from daphne.server import Server, twisted_loop
from twisted.internet import defer, reactor

from maia_web.asgi import application, shutdown, startup
from maia_web.management.servers.listening import (
    CLOSE_SECONDS,
    PING_SECONDS,
    PING_TIMEOUT_SECONDS,
    Listening,
)

logger = logging.getLogger(__name__)

SHUTDOWN_SECONDS = 10


class _Server(Server):
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


def run(listening: Listening, ready: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM; calls `ready` just before the first connection.

    daphne sends no lifespan events: its loop starts and stops the application itself.
    """
    asyncio.set_event_loop(twisted_loop)
    forwarded = "X-Forwarded-{}" if listening.trusts_proxy else ""

    def prepare() -> None:
        # A message over the limit ends with close code 1009 instead of a dropped connection.
        server.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=CLOSE_SECONDS)
        twisted_loop.run_until_complete(startup())
        reactor.callWhenRunning(ready)  # by then it listens and a signal stops it

    address = listening.host.replace(":", r"\:")
    server = _Server(
        application,
        endpoints=[f"tcp:port={listening.port}:interface={address}"],
        ready_callable=prepare,
        ping_interval=PING_SECONDS,
        ping_timeout=PING_TIMEOUT_SECONDS,
        websocket_max_message_size=listening.max_message,
        websocket_max_frame_size=listening.max_message,
        proxy_forwarded_address_header=forwarded.format("For") or None,
        proxy_forwarded_port_header=forwarded.format("Port") or None,
        proxy_forwarded_proto_header=forwarded.format("Proto") or None,
        verbosity=0,
        server_name="MAIA",
    )
    server.run()
