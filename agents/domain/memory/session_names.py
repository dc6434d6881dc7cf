"""Session names: given, cleaned, made unique, and numbered by compaction (seed M §12.2, §14.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from difflib import get_close_matches
from typing import Literal

from maia_web.lib.names.folding import fold, is_printable

LONGEST = 100
MOST_COMPACTIONS = 1_000
SUGGESTED = 3

NameProblem = Literal["empty", "long", "characters", "dot"]

_FORBIDDEN = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]')
_QUOTES = "\"'`“”«»‘’"
_NUMBERED = re.compile(r"(?P<origin>.+)__(?P<number>[1-9][0-9]{0,3})\Z", re.DOTALL)


def default_name(now: datetime) -> str:
    """Returns the name of a session begun at `now`, a local time: session_2026-11-30_14_05_09."""
    return now.strftime("session_%Y-%m-%d_%H_%M_%S")


def clean_name(text: str) -> str:
    """Returns what was typed without outer spaces and quotes."""
    cleaned = text.strip()
    while len(cleaned) > 1 and cleaned[0] in _QUOTES and cleaned[-1] in _QUOTES:
        cleaned = cleaned[1:-1].strip()
    return cleaned


def name_problem(name: str) -> NameProblem | None:
    """Returns why a cleaned name cannot be one, None if it can.

    The rules are those of file names, so that the command-line MAIA can keep the session too.
    """
    if not fold(name):
        return "empty"
    if len(name) > LONGEST:
        return "long"
    if _FORBIDDEN.search(name) or not is_printable(name):
        return "characters"
    return "dot" if name.startswith(".") or name.endswith(".") else None


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Returns `name`, or `name_2`, `name_3`… if it is taken; how it is spelled does not count."""
    known = {fold(one) for one in taken}
    if fold(name) not in known:
        return name
    number = 2
    while fold(candidate := _with_suffix(name, f"_{number}")) in known:
        number += 1
    return candidate


def next_compacted_name(name: str) -> str:
    """Returns the name after a compaction: x, x__1, x__2 … x__1000, x__1."""
    match = _NUMBERED.match(name)
    if match is None or int(match["number"]) > MOST_COMPACTIONS:
        return _with_suffix(name, "__1")
    number = int(match["number"]) % MOST_COMPACTIONS + 1
    return _with_suffix(match["origin"], f"__{number}")


def wraps(name: str) -> bool:
    """Tells whether the next compaction of `name` begins at 1 again, over what is there."""
    match = _NUMBERED.match(name)
    return match is not None and int(match["number"]) == MOST_COMPACTIONS


def suggest(wanted: str, names: Collection[str]) -> list[str]:
    """Returns the names nearest to `wanted`: those that contain it, then those spelled alike."""
    key = fold(wanted)
    by_key = {fold(name): name for name in names}
    inside = [name for folded, name in by_key.items() if key and key in folded]
    alike = [by_key[one] for one in get_close_matches(key, by_key, SUGGESTED, cutoff=0.5)]
    return list(dict.fromkeys([*inside, *alike]))[:SUGGESTED]


def _with_suffix(name: str, suffix: str) -> str:
    return name[: LONGEST - len(suffix)].rstrip(". ") + suffix
