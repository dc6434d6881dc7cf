"""The sink: where the events of a turn go, and where its answer stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agents.domain.content.events import TurnEvent
from agents.domain.content.parts import Part


class Sink(Protocol):
    """Takes the events of a turn, and owns the parts that they make: nobody else keeps any."""

    @property
    def parts(self) -> Sequence[Part]:
        """The answer as it stands, with what it held before this turn was taken up."""
        ...

    async def emit(self, event: TurnEvent) -> None:
        """Makes the change before it returns; never raises for a slow reader, nor waits for one.

        A part that replaces another gets its revision here: it grows with each change.
        """
        ...
