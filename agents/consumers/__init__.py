"""The WebSocket of browsers and programs."""

from agents.consumers.socket import ClientConsumer

__all__ = ["ClientConsumer"]
