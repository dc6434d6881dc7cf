"""Listener: where and how a server listens, and whether it can."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from maia_web.lib.config import local_host

PING_SECONDS = 20
PING_TIMEOUT_SECONDS = 30
CLOSE_SECONDS = 5
BACKLOG = 2048
"""Connections that the kernel keeps while the server is busy; it turns those beyond away."""


@dataclass(frozen=True)
class Listener:
    """An address, the largest WebSocket message in bytes, and whether a proxy stands before it."""

    host: str
    port: int
    max_message: int
    trusts_proxy: bool

    @property
    def url(self) -> str:
        """The address a person on this machine opens."""
        return f"http://{local_host(self.host)}:{self.port}/"

    def probe(self) -> None:
        """Listens for a moment. Raises OSError (`errno` says why) when that is not possible."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen()
