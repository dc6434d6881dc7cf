"""Rows, and the table that `make bench` prints."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.goals import Goal


@dataclass
class Row:
    """What was measured of one quantity, round by round: MAIA's values and the other's."""

    goal: Goal
    maia: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    missing: str = ""

    def add(self, maia: float, beside: float = 1.0) -> None:
        """Takes the values of one round; what stands alone has no other."""
        self.maia.append(maia)
        self.beside.append(beside)

    def leave_out(self, why: str) -> None:
        """It cannot be measured here."""
        self.missing = why

    @property
    def value(self) -> float:
        """What the goal is about: the median of the rounds' ratios; alone, the worst value."""
        if self.goal.stands_alone:
            return max(self.maia)
        pairs = zip(self.maia, self.beside, strict=True)
        return statistics.median(one / max(two, 1e-9) for one, two in pairs)

    @property
    def is_reached(self) -> bool | None:
        """Whether the goal is reached; None: it has none, or could not be measured."""
        if self.missing or not self.goal.is_set:
            return None
        if not self.maia:
            return False
        return self.goal.holds(self.value)

    def line(self) -> str:
        """The row as text."""
        name, goal = self.goal.name, self.goal
        if self.missing:
            return f"{name:<52} not measured: {self.missing}"
        if not self.maia:
            return f"{name:<52} nothing was measured{'':<34}{goal.shown:<8} MISSED"
        ours = f"{statistics.median(self.maia):>9.4g}"
        theirs, ratio = f"{'':>9} {'':<11}", f"{'':>8}"
        if not goal.stands_alone:
            theirs = f"{statistics.median(self.beside):>9.4g} {goal.beside:<11}"
            ratio = f"{self.value:>8.2f}"
        reached = {True: "reached", False: "MISSED", None: ""}[self.is_reached]
        return (
            f"{name:<52} {ours} {theirs} {goal.unit:<8}{ratio}  {goal.shown:<8} {reached}".rstrip()
        )


HEAD = (
    f"{'quantity (median of the rounds)':<52} {'MAIA':>9} {'beside':>9} {'':<11} {'unit':<8}"
    f"{'ratio':>8}  {'goal':<8}"
)


def summary(rows: Iterable[Row]) -> str:
    """Says how many goals are reached, and which are not."""
    judged = [row for row in rows if row.is_reached is not None]
    missed = [row.goal for row in judged if not row.is_reached]
    told = f"{len(judged) - len(missed)} of {len(judged)} goals reached"
    names = [f"{goal.name}{goal.beside and f', beside {goal.beside}'}" for goal in missed]
    return told + "".join(f"\n  missed: {name}" for name in names)
