"""Edits: exact, unique replacements, all resolved on the original text (seeds M §8 and T)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

MAX_COUNTED = 1_000
EditProblem = Literal["empty", "same", "missing", "ambiguous", "overlap"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """`old` stands exactly once in the text and gives way to `new`."""

    old: str
    new: str


class EditError(ValueError):
    """Edit `number` (from 1) cannot be made; nothing was.

    `count`: how often its text stands there. `other`: the edit it overlaps with.
    """

    def __init__(
        self, problem: EditProblem, number: int, *, count: int = 0, other: int = 0
    ) -> None:
        super().__init__(f"edit {number}: {problem}")
        self.problem: EditProblem = problem
        self.number = number
        self.count = count
        self.other = other


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    number: int
    new: str


def apply_edits(original: str, edits: Sequence[Replacement]) -> str:
    """Returns the text with all replacements made, each found on `original`.

    In a text whose lines all end in CRLF, edits written with plain newlines mean CRLF.
    Raises `EditError` if one is empty, changes nothing, is not found exactly once, or overlaps.
    """
    spans = [_resolve(original, edit, n) for n, edit in enumerate(edits, start=1)]
    spans.sort(key=lambda span: (span.start, span.end))
    for before, after in pairwise(spans):
        if after.start < before.end:
            first, second = sorted((before.number, after.number))
            raise EditError("overlap", second, other=first)
    pieces, position = [], 0
    for span in spans:
        pieces += [original[position : span.start], span.new]
        position = span.end
    return "".join([*pieces, original[position:]])


def _resolve(original: str, edit: Replacement, number: int) -> _Span:
    if not edit.old:
        raise EditError("empty", number)
    if edit.old == edit.new:
        raise EditError("same", number)
    old, new = edit.old, edit.new
    if old not in original and _is_crlf(original):
        old, new = _as_crlf(old), _as_crlf(new)
    count = _count(original, old)
    if count != 1:
        raise EditError("ambiguous" if count else "missing", number, count=count)
    start = original.index(old)
    return _Span(start, start + len(old), number, new)


def _count(text: str, part: str) -> int:
    """Counts where `part` stands, places that overlap too, up to `MAX_COUNTED`."""
    count, at = 0, text.find(part)
    while at >= 0 and count < MAX_COUNTED:
        count, at = count + 1, text.find(part, at + 1)
    return count


def _is_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _as_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
