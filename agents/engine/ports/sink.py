"""The sink: where the events of a turn go."""

from __future__ import annotations

from typing import Protocol

from agents.domain.content.events import TurnEvent


class Sink(Protocol):
    """Takes the events of a turn."""

    async def emit(self, event: TurnEvent) -> None:
        """Returns quickly; never raises for a slow reader."""
        ...
