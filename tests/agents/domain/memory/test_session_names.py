"""Session names: the rules of files, suffixes that overwrite nothing, numbers of compactions."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.memory.session_names import (
    LONGEST,
    clean_name,
    default_name,
    name_problem,
    next_compacted_name,
    suggest,
    unique_name,
    wraps,
)

NAMES = st.text(min_size=1, max_size=120).map(clean_name).filter(lambda n: not name_problem(n))


def test_the_default_name_is_the_local_moment() -> None:
    assert default_name(datetime(2026, 3, 7, 9, 5, 1)) == "session_2026-03-07_09_05_01"


@pytest.mark.parametrize(
    ("typed", "name"),
    [("  a b ", "a b"), ("'a'", "a"), ('"a b"', "a b"), ("« été »", "été"), ("'", "'"), ("''", "")],
)
def test_outer_spaces_and_quotes_are_no_part_of_a_name(typed: str, name: str) -> None:
    assert clean_name(typed) == name


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "empty"),
        ("x" * 100, None),
        ("x" * 101, "long"),
        *((f"a{sign}b", "characters") for sign in '\\/:*?"<>|\x00\n\x7f'),
        (".hidden", "dot"),
        ("end.", "dot"),
        ("v1.2", None),
        ("écran 日本 🙂", None),
    ],
)
def test_names_follow_the_rules_of_files(name: str, problem: str | None) -> None:
    assert name_problem(name) == problem


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("xxx", "xxx__1"),
        ("xxx__1", "xxx__2"),
        ("xxx__999", "xxx__1000"),
        ("xxx__1000", "xxx__1"),
        ("xxx__0", "xxx__0__1"),
        ("xxx__1001", "xxx__1001__1"),
        ("xxx__007", "xxx__007__1"),
        ("a__b", "a__b__1"),
        ("__3", "__3__1"),
        ("a__1__2", "a__1__3"),
    ],
)
def test_compactions_are_numbered_as_the_seed_says(name: str, following: str) -> None:
    assert next_compacted_name(name) == following
    assert wraps(name) == (name == "xxx__1000")


@given(NAMES)
def test_a_compacted_name_is_a_name_and_goes_through_a_thousand(name: str) -> None:
    first = next_compacted_name(name)
    again = first
    for _ in range(1_000):
        assert name_problem(again) is None
        again = next_compacted_name(again)

    assert again == first


@given(NAMES, st.lists(NAMES, max_size=6))
def test_a_unique_name_is_a_name_that_nobody_has(name: str, taken: list[str]) -> None:
    found = unique_name(name, [*taken, name])

    assert found.casefold() not in {one.casefold() for one in [*taken, name]}
    assert len(found) <= LONGEST
    assert unique_name(name, []) == name


def test_suffixes_count_up_and_case_does_not_matter() -> None:
    assert unique_name("Release", ["release", "RELEASE_2"]) == "Release_3"


def test_suggestions_are_the_names_near() -> None:
    names = ["release-2.4", "webhook-retries", "notes"]

    assert suggest("webhok-retries", names) == ["webhook-retries"]
    assert suggest("2.4", names) == ["release-2.4"]
    assert suggest("zzz", names) == []
