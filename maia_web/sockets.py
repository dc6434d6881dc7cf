"""Addresses of the sockets."""

from __future__ import annotations

from typing import Any

from channels.routing import URLRouter
from django.urls import re_path

from agents.routing import websocket_urlpatterns as agent_sockets
from workspaces.routing import websocket_urlpatterns as terminal_sockets


async def _no_socket(_scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Refuses a socket at an address that is none with 403, as one from a foreign page."""
    await receive()
    await send({"type": "websocket.close"})


_nowhere: Any = _no_socket  # Channels routes plain ASGI applications; Django's types say views
router = URLRouter([*agent_sockets, *terminal_sockets, re_path("", _nowhere)])
