"""Wildcards and path patterns."""

from __future__ import annotations

import fnmatch
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.patterns import PathGlob, Wildcard, segment_matches

short = st.text("ab*", max_size=8)
plain = st.text("ab", max_size=10)


@given(short, plain)
def test_a_wildcard_matches_like_a_regular_expression(pattern: str, text: str) -> None:
    regex = ".*".join(map(re.escape, pattern.split("*")))
    assert Wildcard.of(pattern).matches(text) == bool(re.fullmatch(regex, text, re.DOTALL))


@given(short, short, plain)
def test_patterns_that_share_a_text_may_meet(one: str, other: str, text: str) -> None:
    first, second = Wildcard.of(one), Wildcard.of(other)
    if first.matches(text) and second.matches(text):
        assert first.may_meet(second)
        assert second.may_meet(first)


@given(st.text("ab*?", max_size=8), plain)
def test_one_level_matches_like_fnmatch(pattern: str, text: str) -> None:
    assert segment_matches(pattern, text) == fnmatch.fnmatchcase(text, pattern)


@given(st.text(max_size=20), st.text(max_size=20))
def test_matching_paths_never_raises(pattern: str, path: str) -> None:
    PathGlob.of(pattern).matches(path)
    PathGlob.of(pattern).may_be_below(path)


@given(
    st.lists(st.sampled_from(["a", "b", "*", "**"]), max_size=5),
    st.lists(st.sampled_from("ab"), max_size=6),
)
def test_levels_match_like_a_regular_expression(pattern: list[str], path: list[str]) -> None:
    parts = {"*": "[^/]+/", "**": "(?:[^/]+/)*"}
    regex = "".join(parts.get(part, part + "/") for part in pattern)
    expected = re.fullmatch(regex, "".join(part + "/" for part in path)) is not None
    assert PathGlob.of("/".join(pattern)).matches("/".join(path)) == expected


def test_patterns_made_to_be_slow_are_not() -> None:
    start = time.perf_counter()
    Wildcard.of("a*" * 200 + "b").matches("a" * 20_000)
    segment_matches("a*" * 30 + "b", "a" * 3_000)
    PathGlob.of("**/a/" * 20 + "b").matches("a/" * 500)
    PathGlob.of("{a,b}" * 40)
    assert time.perf_counter() - start < 5
