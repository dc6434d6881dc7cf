"""Paths: whatever is written, the result stays below its folder and reads back the same."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.entries import FileError
from workspaces.domain.paths import Where, checked_name, parse_path

_pieces = st.one_of(
    st.sampled_from(
        ["..", ".", "", "~", "a", "workspace", "home", "agent", "/opt/skills", "\0", "é", "x" * 300]
    ),
    st.text(max_size=4),
)
_paths = st.lists(_pieces, max_size=12).map("/".join)


@given(_paths)
def test_a_parsed_path_never_leaves_and_reads_back_the_same(text: str) -> None:
    try:
        where = parse_path(text)
    except FileError:
        return
    parts = where.path.split("/") if where.path else []
    assert not {"", ".", ".."} & set(parts)
    assert parse_path(where.display) == where
    assert parse_path(where.inside) == where


@given(st.text())
def test_any_text_is_a_path_or_a_clean_error(text: str) -> None:
    with suppress(FileError):
        assert parse_path(text).display


@given(st.text())
def test_a_checked_name_is_one_part_of_a_path(name: str) -> None:
    try:
        checked = checked_name(name)
    except FileError:
        return
    assert parse_path(f"./{checked}") == Where("workspace", checked)


@pytest.mark.parametrize(
    ("text", "shown", "inside"),
    [
        ("", ".", "/workspace"),
        (".", ".", "/workspace"),
        ("a//b/", "a/b", "/workspace/a/b"),
        ("a/../b", "b", "/workspace/b"),
        ("~", "~", "/home/agent"),
        ("~/a/./b", "~/a/b", "/home/agent/a/b"),
        ("/workspace", ".", "/workspace"),
        ("/workspace/a", "a", "/workspace/a"),
        ("/home/agent/a", "~/a", "/home/agent/a"),
        ("/opt/skills/a/b.sh", "/opt/skills/a/b.sh", "/opt/skills/a/b.sh"),
        ("~a", "~a", "/workspace/~a"),
        ("./~/a", "./~/a", "/workspace/~/a"),
        ("a/~", "a/~", "/workspace/a/~"),
    ],
)
def test_forms(text: str, shown: str, inside: str) -> None:
    where = parse_path(text)
    assert (where.display, where.inside) == (shown, inside)


@pytest.mark.parametrize(
    "text", ["..", "a/../..", "~/..", "/", "/etc", "/workspace/..", "/workspacex", "//workspace"]
)
def test_ways_out_are_refused(text: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_path(text)
    assert caught.value.code == "outside"
