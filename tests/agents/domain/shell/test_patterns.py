"""Wildcards and path patterns."""

from __future__ import annotations

import fnmatch
import re
import time
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.shell.patterns import Wildcard
from workspaces.domain.globs import PathGlob, TooManyAlternatives, segment_matches

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


@given(st.text(max_size=20) | st.text("{},/*a", max_size=20), st.text(max_size=20))
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


BRACES = st.recursive(
    st.sampled_from(["a", "b", "*", "**", "/", "a/b"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda found: "{" + ",".join(found) + "}"),
    ),
    max_leaves=7,
)


@given(BRACES, st.lists(st.sampled_from("ab"), min_size=1, max_size=4))
def test_braces_match_what_one_of_their_alternatives_matches(braces: str, path: list[str]) -> None:
    joined = "/".join(path)
    expected = any(PathGlob.of(text).matches(joined) for text in _written_out(braces))
    assert PathGlob.of(braces).matches(joined) == expected


def _written_out(text: str) -> set[str]:
    """The plain way: the innermost braces first, as many as there are."""
    found = re.search(r"\{([^{}]*,[^{}]*)\}", text)
    if found is None:
        return {text}
    choices = [text[: found.start()] + one + text[found.end() :] for one in found[1].split(",")]
    return set[str]().union(*map(_written_out, choices))


def test_braces_of_many_levels_do_not_multiply() -> None:
    glob = PathGlob.of("{src,lib,test}/{app,core,web}/{a,b,c}/*.{js,ts,css}")
    assert glob.matches("lib/web/c/x.css")
    assert glob.may_be_below("test/core")
    assert not glob.matches("lib/web/d/x.css")


def test_patterns_made_to_be_slow_are_not() -> None:
    start = time.process_time()
    Wildcard.of("a*" * 200 + "b").matches("a" * 20_000)
    segment_matches("a*" * 30 + "b", "a" * 3_000)
    PathGlob.of("**/a/" * 20 + "b").matches("a/" * 500)
    for braces in ("{a,b}" * 40, "{a/,b}" * 40, "{" * 8_000 + "," * 8_000, "{a,b}{,}" * 1_600):
        with suppress(TooManyAlternatives):
            PathGlob.of(braces)
    assert time.process_time() - start < 5
