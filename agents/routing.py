"""Addresses of the main socket."""

from __future__ import annotations

from typing import Any

from django.urls import path

from agents.consumers import client_socket

_socket: Any = client_socket  # Channels routes plain ASGI applications; Django's types say views
websocket_urlpatterns = [path("ws", _socket)]
