"""What happens around the application: its start-up and its shutdown, under any server."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

logger = logging.getLogger(__name__)

SHUTDOWN_SECONDS = 10.0
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


async def start() -> None:
    """Starts what lives beside the application (turns, terminals, watchers)."""
    await _hook("startup")


async def stop() -> None:
    """Ends what `start` began and every process it started; gives up after 10 seconds."""
    try:
        async with asyncio.timeout(SHUTDOWN_SECONDS):
            await _hook("shutdown")
    except TimeoutError:
        logger.warning("Not everything ended within %d seconds.", SHUTDOWN_SECONDS)


async def _hook(name: str) -> None:
    hook = getattr(importlib.import_module("maia_web.asgi"), name, None)
    if hook is not None:
        await hook()


def with_lifespan(application: Application) -> Application:
    """Returns the application with `start` and `stop` as ASGI lifespan events."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        else:
            await application(scope, receive, send)

    return wrapped


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await (start() if event == "lifespan.startup" else stop())
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
