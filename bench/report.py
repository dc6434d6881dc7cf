"""The table that `make bench` prints."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field


@dataclass
class Row:
    """One quantity: MAIA's and the other's values, round by round, and the goal for the ratio."""

    name: str
    unit: str
    goal: float
    other: str = "F"
    more_is_better: bool = False
    most: float | None = None
    maia: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)

    def add(self, maia: float, beside: float) -> None:
        """Takes the values of one round."""
        self.maia.append(maia)
        self.beside.append(beside)

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios."""
        pairs = zip(self.maia, self.beside, strict=True)
        return statistics.median(one / max(two, 1e-9) for one, two in pairs)

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached."""
        if self.most is not None and statistics.median(self.maia) > self.most:
            return False
        return self.ratio >= self.goal if self.more_is_better else self.ratio <= self.goal

    def line(self) -> str:
        """The row as text."""
        sign = "≥" if self.more_is_better else "≤"
        goal = f"{sign} {self.goal:g}" + (f", ≤ {self.most:g} {self.unit}" if self.most else "")
        ours, theirs = statistics.median(self.maia), statistics.median(self.beside)
        return (
            f"{self.name:<44} {ours:>10.4g} {theirs:>10.4g} {self.other:<9} {self.unit:<9}"
            f"{self.ratio:>8.2f}  {goal:<16} {'reached' if self.is_reached else 'MISSED'}"
        )


HEAD = (
    f"{'quantity (median of the rounds)':<44} {'MAIA':>10} {'beside':>10} {'':<9} {'unit':<9}"
    f"{'ratio':>8}  {'goal':<16}"
)
