"""A host of this process that keeps the turns it is given, or loses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agents.delivery import dispatch
from agents.delivery.dispatch import Hint
from agents.domain.content.turns import ClaimedTurn
from workspaces.domain.places import Place


@dataclass(frozen=True)
class KeepingHost:
    """Gives every turn that was begun in its name to `keep`; it runs none."""

    name: str
    keep: Callable[[ClaimedTurn], None]
    expected: list[Place] = field(default_factory=list)

    def receive(self, hint: Hint) -> None:
        """Nothing runs here."""

    def expect(self, place: Place, agent: str, toolset: str) -> None:
        self.expected.append(place)

    def take(self, begun: ClaimedTurn, asked: float) -> None:
        self.keep(begun)


@contextmanager
def local_host(name: str, keep: Callable[[ClaimedTurn], None]) -> Iterator[KeepingHost]:
    """This process is one that runs turns, until the block ends."""
    host = KeepingHost(name, keep)
    dispatch.register_local(host)
    try:
        yield host
    finally:
        dispatch.register_local(None)
