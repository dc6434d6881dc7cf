"""Who answers (seed S, "Qui répond à un message")."""

from __future__ import annotations

import pytest

from agents.domain.typed.line import Said, parse
from agents.domain.typed.recipients import Recipients, choose_recipients

AGENTS = ("maia", "forge", "plume")


def read(text: str) -> Said:
    line = parse(text, AGENTS)
    assert isinstance(line, Said)
    return line


@pytest.mark.parametrize(
    ("text", "direct", "members", "last", "answering", "joining"),
    [
        ("hello", None, ("maia",), None, ("maia",), ()),
        ("hello", None, ("maia", "forge"), "forge", ("forge",), ()),
        ("hello", None, ("maia", "forge"), None, (), ()),
        ("hello", None, ("maia", "forge"), "plume", (), ()),
        ("hello", None, (), None, (), ()),
        ("@forge @maia go", None, ("maia",), "maia", ("forge", "maia"), ("forge",)),
        ("/plume:draw", None, ("maia",), "maia", ("plume",), ("plume",)),
        ("@forge hello", "maia", ("maia",), None, ("maia",), ()),
    ],
)
def test_the_seed_says_who_answers(
    text: str,
    direct: str | None,
    members: tuple[str, ...],
    last: str | None,
    answering: tuple[str, ...],
    joining: tuple[str, ...],
) -> None:
    chosen = choose_recipients(read(text), direct=direct, members=members, last_answered=last)

    assert chosen == Recipients(answering, joining)
