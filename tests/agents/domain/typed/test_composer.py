"""The line a person types: mentions, addressed commands, plain prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.typed.composer import parse_line

AGENTS = ("maia", "forge", "plume")


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("hello", ()),
        ("@maia hello", ("maia",)),
        ("please @forge, then @maia.", ("forge", "maia")),
        ("@forge and @forge again", ("forge",)),
        ("@MAIA shouts", ("maia",)),
        ("jean@maia.example", ()),
        ("a path/@maia", ()),
        ("`@maia` in code", ()),
        ("```\n@maia\n``` @plume", ("plume",)),
        ("@nobody @maia-2", ()),
        ("(@maia)", ("maia",)),
        ("@maia's idea", ("maia",)),
    ],
)
def test_mentions_are_names_of_agents_outside_code(text: str, mentions: tuple[str, ...]) -> None:
    assert parse_line(text, AGENTS).mentions == mentions


@pytest.mark.parametrize(
    ("text", "addressed", "sent"),
    [
        ("/forge:plan the week", "forge", "/plan the week"),
        ("/forge:plan", "forge", "/plan"),
        ("/Forge:memory\nshow", "forge", "/memory show"),
        ("/nobody:plan", None, "/nobody:plan"),
        ("/help", None, "/help"),
    ],
)
def test_a_command_is_addressed_by_the_name_of_an_agent(
    text: str, addressed: str | None, sent: str
) -> None:
    line = parse_line(text, AGENTS)

    assert (line.addressed, line.text.split()) == (addressed, sent.split())
    assert line.is_command


@pytest.mark.parametrize("text", ["/help", "@maia /help", "@maia @forge /x y"])
def test_a_slash_after_mentions_makes_a_command(text: str) -> None:
    assert parse_line(text, AGENTS).is_command


@given(st.text())
def test_any_text_is_read_without_failing_and_stays_itself(text: str) -> None:
    line = parse_line(text, AGENTS)

    assert line.addressed or line.text == text.strip()
    assert set(line.mentions) <= set(AGENTS)


@given(st.text(alphabet=st.characters(exclude_characters="@/`")))
def test_plain_prose_stays_prose(text: str) -> None:
    line = parse_line(text, AGENTS)

    assert not line.mentions
    assert not line.is_command
