"""Numbered lines: a text as Read shows it, 6 columns and a tab before each line (seed M §8)."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain.content.changes import lines_of

MAX_SHOWN = 100_000


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """`text` shows the lines `first` to `last` of `total`; `cut`: a limit of size ended it."""

    text: str
    first: int
    last: int
    total: int
    cut: bool = False


def number_lines(text: str, offset: int = 1, limit: int = 2_000) -> NumberedLines:
    """Returns at most `limit` lines from line `offset` on, and at most `MAX_SHOWN` characters."""
    lines = lines_of(text)
    shown: list[str] = []
    size = 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], start=offset):
        row = f"{number:>6}\t{line.removesuffix(chr(10)).removesuffix(chr(13))}"
        if size + len(row) > MAX_SHOWN:
            if not shown:
                shown.append(f"{row[:MAX_SHOWN]}…")
            return _result(shown, offset, len(lines), cut=True)
        shown.append(row)
        size += len(row) + 1
    return _result(shown, offset, len(lines), cut=False)


def _result(shown: list[str], first: int, total: int, *, cut: bool) -> NumberedLines:
    return NumberedLines("\n".join(shown), first, first + len(shown) - 1, total, cut)
