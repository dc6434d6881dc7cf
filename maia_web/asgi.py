"""The ASGI application: pages, static files and sockets, the same under daphne and uvicorn."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")

import django

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter
from channels.security.websocket import OriginValidator
from channels.sessions import CookieMiddleware
from django.conf import settings
from servestatic import ServeStaticASGI

from agents.runtime.web import WebProcess
from maia_web.lib import config, late
from maia_web.lib.languages import speaking
from maia_web.lib.request_threads import request_threads
from maia_web.pages.handler import PageHandler

_process = WebProcess()
_sockets = late.Module("maia_web.sockets")


async def startup() -> None:
    """Starts what runs beside the requests; called again it does nothing."""
    if settings.BROKER_URL:
        import maia_web.celery  # makes the broker known to dispatch  # noqa: F401
    await _process.start()


async def shutdown() -> None:
    """Stops it."""
    from workspaces.terminals.host import terminals

    await _process.stop()
    await terminals.close_all()
    await asyncio.to_thread(request_threads.close)


def _static() -> ServeStaticASGI:
    served = ServeStaticASGI(
        PageHandler(),
        root=Path(settings.BASE_DIR, "static"),
        prefix=settings.STATIC_URL,
        max_age=365 * 24 * 3600,
        allow_all_origins=False,
        autorefresh=settings.DEBUG,
        immutable_file_test=lambda _path, _url: True,
    )
    served.add_files(config.package("ninja") / "static", prefix=settings.STATIC_URL)
    return served


async def _socket(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serves a socket; what answers there is loaded by then, or now, beside the loop."""
    _process.answered()
    sockets = _sockets.module or await asyncio.to_thread(_sockets.load)
    await sockets.router(scope, receive, send)


_router = ProtocolTypeRouter(
    {
        "http": _static(),
        "websocket": OriginValidator(CookieMiddleware(speaking(_socket)), settings.ORIGINS),
    }
)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serves one connection; the first one starts what a server without lifespan did not."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    await startup()
    await _router(scope, receive, send)
    _process.answered()


async def _lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await startup()
            await send({"type": "lifespan.startup.complete"})
        else:
            await shutdown()
            await send({"type": "lifespan.shutdown.complete"})
            return
