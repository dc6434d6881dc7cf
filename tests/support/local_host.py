"""A host of this process that keeps the turns it is given, or loses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from agents.delivery import dispatch
from agents.delivery.dispatch import Hint
from agents.domain.content.turns import ClaimedTurn


@dataclass(frozen=True)
class KeepingHost:
    """Gives every turn that was begun in its name to `keep`; it runs none."""

    name: str
    keep: Callable[[ClaimedTurn], None]

    def receive(self, hint: Hint) -> None:
        """Nothing runs here."""

    def take(self, begun: ClaimedTurn, asked: float) -> None:
        self.keep(begun)


@contextmanager
def local_host(name: str, keep: Callable[[ClaimedTurn], None]) -> Iterator[None]:
    """This process is one that runs turns, until the block ends."""
    dispatch.register_local(KeepingHost(name, keep))
    try:
        yield
    finally:
        dispatch.register_local(None)
