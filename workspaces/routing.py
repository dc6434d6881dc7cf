"""Addresses of the terminals' sockets."""

from __future__ import annotations

from typing import Any

from django.urls import re_path

from workspaces.consumers import terminal_socket

_socket: Any = terminal_socket  # Channels routes plain ASGI applications; Django's types say views
websocket_urlpatterns = [re_path(r"^ws/terminal/(?P<terminal>[0-9a-z]+)$", _socket)]
