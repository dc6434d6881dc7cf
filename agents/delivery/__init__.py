"""How a fact reaches sockets and hosts: folded, encoded once, written in rounds (decision 0003).

Services `publish` when their transaction commits. The `hub` of each process folds what streams and
offers it to its clients; `relay` carries it to other processes by way of Redis; `dispatch` tells
hosts that a turn waits.
"""

from agents.delivery.client import Client, Dropped, Hold
from agents.delivery.hub import Hub
from agents.delivery.packets import Packet, packet

hub = Hub()
"""The hub of this process."""

__all__ = ["Client", "Dropped", "Hold", "Hub", "Packet", "hub", "packet"]
