"""The spelling of names: every name has one, and it gives the name back."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.entries import FileError
from workspaces.domain.glob_expressions import compile_glob
from workspaces.domain.globs import PathGlob
from workspaces.domain.paths import parse_path
from workspaces.domain.spelling import in_words, raw, spelled

_SIGNS = (b"\\x", b"\\", b"x", b"5c", b"e9", b"C3", b"\xe9", b"\xc3", b"\xa9", b"a", "é".encode())
NAMES = st.lists(st.sampled_from(_SIGNS) | st.binary(max_size=3)).map(
    lambda parts: os.fsdecode(b"".join(parts).replace(b"\0", b"").replace(b"/", b""))
)


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        (b"plain.txt", "plain.txt"),
        ("été\u202f.txt".encode(), "été\u202f.txt"),
        (b"Sal\xe9.txt", r"Sal\xe9.txt"),
        (rb"Sal\xe9.txt", r"Sal\x5cxe9.txt"),
        (rb"Sal\xE9.txt", r"Sal\x5cxE9.txt"),
        (rb"a\x5cb", r"a\x5cx5cb"),
        (rb"C:\xyz\x41", r"C:\xyz\x41"),
        (b"\xc3\xe9", r"\xc3\xe9"),
    ],
)
def test_a_name_has_its_spelling(name: bytes, spelling: str) -> None:
    assert spelled(os.fsdecode(name)) == spelling
    assert os.fsencode(raw(spelling)) == name
    assert parse_path(spelling).path == spelling


@given(NAMES)
def test_a_spelling_gives_its_name_back_and_can_be_sent(name: str) -> None:
    spelling = spelled(name)
    assert raw(spelling) == name
    assert json.loads(json.dumps(spelling).encode()) == spelling
    spelling.encode()


@given(st.text())
def test_all_ways_to_write_a_name_are_read_as_its_spelling(text: str) -> None:
    assert spelled(raw(text)) == spelled(raw(spelled(raw(text))))
    in_words(text.encode(errors="replace").decode())


def test_bytes_that_are_a_letter_together_are_that_letter() -> None:
    assert parse_path(r"caf\xc3\xa9/\xE9").path == r"café/\xe9"
    assert raw("\\xe9\ud800") == "\\xe9\ud800"  # no text at all, and no exception


def test_a_name_is_as_long_as_its_bytes() -> None:
    assert parse_path(r"\xe9" * 255).path == r"\xe9" * 255
    with pytest.raises(FileError):
        parse_path(r"\xe9" * 256)


@pytest.mark.parametrize(
    "pattern",
    [r"Sal\xe9.txt", "Sal?.txt", "Sal*", "S[!z]l[!a].txt", r"{x,Sal\xE9.txt}", "**/*.txt"],
)
def test_a_byte_is_one_sign_in_patterns(pattern: str) -> None:
    assert PathGlob.of(pattern).matches(r"Sal\xe9.txt")
    assert compile_glob(pattern).fullmatch(raw(r"Sal\xe9.txt"))
    assert PathGlob.of(pattern).matches(r"Sal\x5cxe9.txt") == (pattern in ("Sal*", "**/*.txt"))


def test_an_error_can_be_written_whatever_name_it_holds() -> None:
    assert FileError("binary", "Sal\udce9.txt is no text").message == r"Sal\xe9.txt is no text"
