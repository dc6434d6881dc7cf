"""The WebSocket of browsers and programs."""

from agents.consumers.socket import client_socket

__all__ = ["client_socket"]
