"""Clock: the time of day for people, and a steady clock for durations."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time; tests bring their own."""

    def now(self) -> str:
        """The time of day as ISO 8601 in UTC."""
        ...

    def steady(self) -> float:
        """Seconds that never go back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        """Returns the time of day, to the millisecond."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def steady(self) -> float:
        """Returns the seconds of the monotonic clock."""
        return time.monotonic()
