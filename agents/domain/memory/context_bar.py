"""ContextBar: how full a context is, in squares of 10,000 tokens or more (seed M §13.3).

Browsers draw the same bar from static/maia/lib/format.js; tests hold both against the same cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.domain.memory.token_numbers import format_tokens

SQUARE = 10_000
MOST_SQUARES = 20
WARN, CRITICAL = 60, 85


@dataclass(frozen=True, slots=True)
class ContextBar:
    """`on` of `total` squares are full; `scale` is "" while one square is 10k."""

    total: int
    on: int
    level: Literal["", "warn", "crit"]
    label: str
    scale: str = ""


def context_bar(used: int, size: int) -> ContextBar | None:
    """Returns the bar, None where the maximum is unknown (`size` 0)."""
    if size <= 0:
        return None
    square = max(1, -(-size // (MOST_SQUARES * SQUARE))) * SQUARE
    percent = _rounded(used * 100, size)
    return ContextBar(
        total=max(1, _rounded(size, square)),
        on=max(1, _rounded(used, square)) if used > 0 else 0,
        level=_level(used, size),
        label=f"{format_tokens(used)} / {format_tokens(size)} · {percent}%",
        scale=f"1■ = {format_tokens(square)}" if square > SQUARE else "",
    )


def _level(used: int, size: int) -> Literal["", "warn", "crit"]:
    if used * 100 >= size * CRITICAL:
        return "crit"
    return "warn" if used * 100 >= size * WARN else ""


def _rounded(number: int, by: int) -> int:
    """Returns the quotient, halves rounded up as browsers round them."""
    return (2 * number + by) // (2 * by)
