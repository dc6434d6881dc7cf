"""The ASGI application: pages, static files and sockets, the same under daphne and uvicorn."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")

import django

django.setup(set_prefix=False)

import ninja
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from channels.sessions import CookieMiddleware
from django.conf import settings
from django.urls import re_path
from servestatic import ServeStaticASGI

from agents.routing import websocket_urlpatterns as agent_sockets
from agents.runtime.web import WebProcess
from maia_web.lib.languages import speaking
from maia_web.lib.request_threads import request_threads
from maia_web.pages.handler import PageHandler
from workspaces.routing import websocket_urlpatterns as terminal_sockets

_process = WebProcess()


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
    served.add_files(Path(ninja.__file__).parent / "static", prefix=settings.STATIC_URL)
    return served


async def _no_socket(_scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Refuses a socket at an address that is none with 403, as one from a foreign page."""
    await receive()
    await send({"type": "websocket.close"})


_nowhere: Any = _no_socket  # Channels routes plain ASGI applications; Django's types say views
_router = ProtocolTypeRouter(
    {
        "http": _static(),
        "websocket": OriginValidator(
            CookieMiddleware(
                speaking(URLRouter([*agent_sockets, *terminal_sockets, re_path("", _nowhere)]))
            ),
            settings.ORIGINS,
        ),
    }
)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serves one connection; the first one starts what a server without lifespan did not."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    await startup()
    await _router(scope, receive, send)


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
