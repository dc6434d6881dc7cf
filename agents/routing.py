"""Addresses of the main socket."""

from __future__ import annotations

from django.urls import path

from agents.consumers import ClientConsumer

websocket_urlpatterns = [path("ws", ClientConsumer.as_asgi())]
