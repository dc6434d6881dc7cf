"""The answerer: who does the work of a turn."""

from __future__ import annotations

from typing import Protocol

from agents.domain.content.events import TurnEnded


class Answerer(Protocol):
    """Who answers one turn: the built-in agent, a command, a compaction.

    It is made with its turn, its sink and its journal, before anything is read or asked.
    """

    def context_size(self) -> int:
        """Tokens that the model which answers takes in; 0 without one, or as long as unknown."""
        ...

    async def answer(self) -> TurnEnded:
        """Does the work and says how it ended.

        Raises `ProviderError` when the model cannot answer, and what the journal raises. Cancelling
        the awaiting task stops the work; what runs is over when `CancelledError` comes out.
        """
        ...

    async def after(self, ended: TurnEnded) -> None:
        """Does what is left once the turn is over for everybody, even if it never answered."""
        ...
