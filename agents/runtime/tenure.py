"""Tenure: until when a host may be certain, without asking, that it still holds a turn."""

from __future__ import annotations

import time
from collections.abc import Callable

from agents.services.leases import LEASE


class Tenure:
    """Counted from before the question that gave or renewed the lease, by this process's own clock.

    A process that was frozen for longer than its lease finds its tenure over when it wakes: until
    the database says that nobody else took the turn up, it must say nothing of it.
    """

    def __init__(self, asked: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0
        self.renewed(asked)

    def renewed(self, asked: float) -> None:
        """The lease was given to a question asked at `asked`."""
        self._until = asked + LEASE.total_seconds()

    @property
    def certain(self) -> bool:
        """Whether no other host can have the turn by now."""
        return self._clock() < self._until
