"""What the search passes on to ripgrep."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.entries import FileError
from workspaces.domain.search_arguments import checked_arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ("--pre", "sh"),
        ("--pre=sh",),
        ("--pre-glob=*", "x"),
        ("-n", "--hostname-bin=/bin/sh", "x"),
        ("-z", "x"),
        ("-nz", "x"),
        ("-L", "x"),
        ("--follow", "x"),
        ("-f", "/etc/passwd"),
        ("-if/etc/passwd",),
        ("--file=/etc/passwd",),
        ("--ignore-file", "/etc/passwd", "x"),
        ("-e", "x", "--pre", "sh"),
        ("-A", "3", "-z"),
        ("x\0y",),
        ("-e", "x\0y"),
    ],
)
def test_refused(
    arguments: tuple[str, ...],
) -> None:
    with pytest.raises(FileError):
        checked_arguments(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("-e", "--pre=sh"),
        ("--regexp", "-z"),
        ("-A3", "-n", "x"),
        ("-g", "*.zL"),
        ("-tzig", "x"),
        ("--", "--pre"),
        ("-l", "-i", "-c", "x"),
        ("--max-columns=500", "--no-heading", "x"),
    ],
)
def test_passed_on(
    arguments: tuple[str, ...],
) -> None:
    assert checked_arguments(arguments) == arguments


@given(st.lists(st.text(alphabet="-zLfpre=xA3\0", max_size=8), max_size=6))
def test_any_list_is_answered(arguments: list[str]) -> None:
    with suppress(FileError):
        assert checked_arguments(tuple(arguments)) == tuple(arguments)
