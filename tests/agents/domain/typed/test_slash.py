"""Slash lines: what is a command of the server, and what belongs to others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.typed.slash import Slash, names_in, parse_slash

AGENTS = ("maia", "argus")


@pytest.mark.parametrize(
    ("text", "name", "argument", "agent"),
    [
        ("/help", "help", "", None),
        ("  /Help  ", "help", "", None),
        ("/rename  été 2026 ", "rename", "été 2026", None),
        ("/clear @argus", "clear", "", "argus"),
        ("/load @ARGUS the one", "load", "the one", "argus"),
        ("/load @nobody", "load", "@nobody", None),
        ("/maia:clear", "clear", "", "maia"),
        ("/Argus:load the one", "load", "the one", "argus"),
    ],
)
def test_a_command_is_read(text: str, name: str, argument: str, agent: str | None) -> None:
    assert parse_slash(text, AGENTS) == Slash(text.strip(), name, argument, agent)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "help",
        "see /help",
        "/usr/bin",
        "//",
        "/",
        "/ x",
        "/argus:status",
        "/Maia:x y",
        "/nobody:clear",
        "/a/b c",
        "/tmp is full, where do I look?",
        "/README.md is wrong",
        "/health answers 500",
        "/clear the cache, then build",
        "/load this\nand that",
    ],
)
def test_everything_else_is_said(text: str) -> None:
    assert parse_slash(text, AGENTS) is None


@pytest.mark.parametrize(
    ("argument", "names"),
    [
        ("", ()),
        ("one", ("one",)),
        ("two words", ("two words",)),
        ('"one" "two words"', ("one", "two words")),
        ('"one"two', ('"one"two',)),
        ('say "x', ('say "x',)),
    ],
)
def test_names_are_one_or_several_in_quotes(argument: str, names: tuple[str, ...]) -> None:
    assert names_in(argument) == names


@given(st.text(max_size=40))
def test_reading_never_fails(text: str) -> None:
    line = parse_slash(text, AGENTS)
    if line is not None:
        assert text.strip().startswith("/")
        names_in(line.argument)
