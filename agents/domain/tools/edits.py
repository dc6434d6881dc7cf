"""Edits: exact, unique replacements, all resolved on the original text (seeds M §8 and T)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from agents.domain.tools.line_ends import PlainView, plain

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

    CRLF and LF are one line end where a text is looked for, and what is written ends its lines as
    those it touches do, whatever ends the edits have; only an edit that changes nothing else
    changes them. Raises `EditError` if one is empty, changes nothing, is not found exactly once, or
    overlaps.
    """
    view = PlainView(original)
    spans = [_resolve(original, view, edit, n) for n, edit in enumerate(edits, start=1)]
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


def _resolve(original: str, view: PlainView, edit: Replacement, number: int) -> _Span:
    if not edit.old:
        raise EditError("empty", number)
    if edit.old == edit.new:
        raise EditError("same", number)
    old, new = plain(edit.old), plain(edit.new)
    if old == new:  # it changes line ends, if anything
        if edit.old not in original:
            raise EditError("same", number)
        start = _only(original, edit.old, number)
        return _Span(start, start + len(edit.old), number, edit.new)
    start = _only(view.plain, old, number)
    first, last = view.place(start), view.place(start + len(old))
    return _Span(first, last, number, view.replaced(first, last, edit.new))


def _only(text: str, part: str, number: int) -> int:
    """Returns where `part` stands, if it stands there once."""
    count = _count(text, part)
    if count != 1:
        raise EditError("ambiguous" if count else "missing", number, count=count)
    return text.index(part)


def _count(text: str, part: str) -> int:
    """Counts where `part` stands, places that overlap too, up to `MAX_COUNTED`."""
    count, at = 0, text.find(part)
    while at >= 0 and count < MAX_COUNTED:
        count, at = count + 1, text.find(part, at + 1)
    return count
