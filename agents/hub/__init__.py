"""Fans frames out to the sockets of this process (docs/decisions/0003-seq-and-snapshot.md)."""

from agents.hub.client import Client, Dropped, Hold
from agents.hub.hub import Hub
from agents.hub.packets import Packet, packet

hub = Hub()
"""The hub of this process."""

__all__ = ["Client", "Dropped", "Hold", "Hub", "Packet", "hub", "packet"]
