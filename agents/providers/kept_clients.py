"""Kept clients: connections to model servers that outlive one answer.

To make a client and to connect take longer than to ask. A client is found by the whole endpoint,
its key included, so that nobody's request goes out on a connection that another key opened.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.domain.model_servers.endpoint import Endpoint
from agents.providers.http import CONNECT_SECONDS, open_client

if TYPE_CHECKING:
    import httpx

MOST = 32
"""Clients without a request; whose last one is longest ago goes first."""


@dataclass(slots=True)
class _Kept:
    client: httpx.AsyncClient
    users: int = 0


class KeptClients:
    """The clients of one event loop."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[Endpoint, float], _Kept] = OrderedDict()

    def __len__(self) -> int:
        """How many clients there are."""
        return len(self._kept)

    @asynccontextmanager
    async def use(
        self, endpoint: Endpoint, *, connect: float = CONNECT_SECONDS
    ) -> AsyncIterator[httpx.AsyncClient]:
        """Gives the client of an endpoint, which stays open."""
        key = (endpoint, connect)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(open_client(endpoint, connect=connect, keep=True))
        self._kept.move_to_end(key)
        kept.users += 1
        try:
            yield kept.client
        finally:
            kept.users -= 1
            await self._drop_idle()

    async def close(self) -> None:
        """Closes them all."""
        kept, self._kept = self._kept, OrderedDict()
        for one in kept.values():
            await one.client.aclose()

    async def _drop_idle(self) -> None:
        idle = [key for key, one in self._kept.items() if not one.users]
        for key in idle[: max(len(idle) - self._most, 0)]:
            await self._kept.pop(key).client.aclose()
