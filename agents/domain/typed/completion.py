"""Completion: which paths fit what is typed so far, best first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Literal

from maia_web.lib.names.folding import fold
from maia_web.lib.values import Value

CompletionKind = Literal["@", "$", "§", "/", "!"]
MOST = 12


class Completion(Value):
    """One entry of the menu. `insert` takes the place of sign and word; `words` describe it."""

    kind: Literal["agent", "file", "folder", "skill", "command", "shell"]
    label: str
    insert: str
    words: str = ""


def best_paths(
    typed: str, paths: Sequence[str], folded: Sequence[str], most: int = MOST
) -> tuple[str, ...]:
    """Returns the paths that fit; `folded` are the same paths folded, folders end with `/`.

    First names that begin with what was typed, then paths that do, then names and paths that hold
    it, and only where there are too few, paths that hold its letters in order.
    """
    wanted = fold(typed)
    found = heapq.nsmallest(most, _holding(wanted, paths, folded))
    if len(found) < most and len(wanted) > 1:
        taken = {path for *_rank, path in found}
        scattered = (one for one in _scattered(wanted, paths, folded) if one[-1] not in taken)
        found += heapq.nsmallest(most - len(found), scattered)
    return tuple(path for *_rank, path in found)


Rank = tuple[int, int, int, str]


def _holding(wanted: str, paths: Sequence[str], folded: Sequence[str]) -> Iterator[Rank]:
    for path, text in zip(paths, folded, strict=True):
        at = text.find(wanted)
        if at >= 0:
            yield (_tier(wanted, text, at), _depth(text), len(text), path)


def _tier(wanted: str, text: str, at: int) -> int:
    name = text.rfind("/", 0, -1) + 1
    if text.startswith(wanted, name):
        return 0
    if at == 0:
        return 1
    return 2 if text.find(wanted, name) >= 0 else 3


def _depth(text: str) -> int:
    """Returns how many folders are above it; what is hidden counts as deep down."""
    hidden = text.startswith(".") or "/." in text
    return text.count("/", 0, -1) + (10 if hidden else 0)


def _scattered(wanted: str, paths: Sequence[str], folded: Sequence[str]) -> Iterator[Rank]:
    for path, text in zip(paths, folded, strict=True):
        if _in_order(wanted, text):
            yield (4, _depth(text), len(text), path)


def _in_order(wanted: str, text: str) -> bool:
    at = -1
    for letter in wanted:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True
