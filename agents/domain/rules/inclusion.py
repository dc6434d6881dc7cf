"""Inclusion of patterns: whether every text or path of one pattern also fits another.

`*` in the narrow pattern becomes a sign that no pattern holds: only a `*` of the wide one can
stand for it, and then for anything else in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain.rules.paths import PathPattern
from agents.domain.shell.patterns import Wildcard
from workspaces.domain.globs import ANY_DEPTH, PathGlob, Segment, segment_matches, segment_tokens

ANY_TEXT = "\U0010fffe"
"""A character that is none: a rule that holds it is included by nothing."""
_ANY_CHAR = "\U0010ffff"


def sample(pattern: str) -> str:
    """Returns the text that stands for all a wildcard pattern covers."""
    return pattern.replace("*", ANY_TEXT)


def text_included(narrow: str, wide: str) -> bool:
    """Says whether all that fits the wildcard `narrow` fits `wide`."""
    return ANY_TEXT not in narrow + wide and Wildcard.of(wide).matches(sample(narrow))


def path_included(narrow: PathPattern, wide: PathPattern) -> bool:
    """Says whether `wide` covers every path that `narrow` covers (never says so wrongly)."""
    is_comparable = wide.base == narrow.base or wide.base == "anywhere"
    return is_comparable and _glob_included(narrow.glob, wide.glob)


def _glob_included(narrow: PathGlob, wide: PathGlob) -> bool:
    return all(
        any(_segments_included(few, many) for many in wide.alternatives)
        for few in narrow.alternatives
    )


def _segments_included(narrow: Sequence[Segment], wide: Sequence[Segment]) -> bool:
    """Fits the segments of `narrow` into `wide`; a `**` fits only into a `**`."""
    reached = {0}
    for part in narrow:
        reached = {
            following
            for at in _skipping(reached, wide)
            if at < len(wide)
            for following in _steps(part, wide[at], at)
        }
    return len(wide) in _skipping(reached, wide)


def _skipping(places: set[int], wide: Sequence[Segment]) -> set[int]:
    """Adds what is reached when a `**` stands for nothing."""
    found = set(places)
    for at, segment in enumerate(wide):
        if at in found and segment == ANY_DEPTH:
            found.add(at + 1)
    return found


def _steps(part: Segment, segment: Segment, at: int) -> set[int]:
    if segment == ANY_DEPTH:
        return {at}
    is_included = part != ANY_DEPTH and all(
        any(_level_included(narrow, wide) for wide in segment) for narrow in part
    )
    return {at + 1} if is_included else set()


def _level_included(narrow: str, wide: str) -> bool:
    """One level. Classes of the wide pattern are left aside, and `?` beside a `*`."""
    if narrow == wide:
        return True
    tokens = segment_tokens(narrow)
    if tokens is None:
        return segment_matches(wide, narrow)
    unsure = {"[", ANY_TEXT, _ANY_CHAR} | ({"?"} if "*" in tokens else set())
    text = "".join(_sign(one) for one in tokens)
    return not unsure & set(wide) and segment_matches(wide, text)


def _sign(part: str) -> str:
    """Returns what stands for one part of a segment: `*`, `?`, a class or `\\x`."""
    if part == "*":
        return ANY_TEXT
    return _ANY_CHAR if part[0] in "?[" else part[1:]
