"""How a fact reaches sockets and hosts: folded, encoded once, written in rounds (decision 0003)."""

from agents.delivery.client import Client, Dropped, Hold
from agents.delivery.hub import Hub
from agents.delivery.packets import Packet, packet

hub = Hub()
"""The hub of this process."""

__all__ = ["Client", "Dropped", "Hold", "Hub", "Packet", "hub", "packet"]
