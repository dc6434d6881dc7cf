"""Where and how a server listens, and whether it can."""

from __future__ import annotations

import socket
from dataclasses import dataclass

PING_SECONDS = 20
PING_TIMEOUT_SECONDS = 30
CLOSE_SECONDS = 5
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (names them, binds nothing)


@dataclass(frozen=True)
class Listening:
    """An address, the largest WebSocket message in bytes, and whether a proxy stands before it."""

    host: str
    port: int
    max_message: int
    trusts_proxy: bool

    @property
    def url(self) -> str:
        """The address a person on this machine opens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{EVERYWHERE.get(self.host, host)}:{self.port}/"

    def probe(self) -> None:
        """Listens for a moment. Raises OSError (`errno` says why) when that is not possible."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen()
