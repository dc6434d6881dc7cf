"""The line a person types: what it is, and that nothing of it is lost."""

from __future__ import annotations

import json
from typing import assert_never
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.domain.typed.line import (
    Line,
    Said,
    Shell,
    SkillCall,
    Slash,
    kept,
    parse,
    request_of,
)

AGENTS = ("maia", "forge", "plume")
PIECES = ("/", "!", "§", "@", "$", "'", "`", ":", " ", "\n", "maia", "@forge ", "a/b.py", "help")
TYPED = st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map("".join) | st.text()


def said(text: str) -> Said:
    line = parse(text, AGENTS)
    assert isinstance(line, Said)
    return line


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Said),
        ("hello", Said),
        ("see /help", Said),
        ("/help", Slash),
        ("  /", Slash),
        ("/nobody:plan", Slash),
        ("/usr/bin/env is missing", Said),
        ("/forge:plan", Said),
        ("@maia /help", Said),
        ("!ls", Shell),
        (" !'ls", Shell),
        ("not !ls", Said),
        ("§review a b", SkillCall),
        ("@maia @forge, § review", SkillCall),
        ("@nobody §review", Said),
        ("§", SkillCall),
        ("see §3", Said),
        ("! /help", Shell),
        ("§ /help", SkillCall),
    ],
)
def test_what_a_line_is(text: str, kind: type[Line]) -> None:
    assert type(parse(text, AGENTS)) is kind


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
    assert said(text).mentions == mentions


@pytest.mark.parametrize(
    ("text", "addressed", "heard"),
    [
        ("/forge:plan the week", "forge", "/plan the week"),
        ("/forge:plan", "forge", "/plan"),
        ("/Forge:memory\nshow", "forge", "/memory show"),
        ("/forge:ask @maia", "forge", "/ask @maia"),
    ],
)
def test_a_command_is_addressed_by_the_name_of_an_agent(
    text: str, addressed: str, heard: str
) -> None:
    line = said(text)

    assert (line.text, line.mentions, line.heard) == (text, (addressed,), heard)
    assert line.alone


@pytest.mark.parametrize("text", ["@maia /help", "@maia @forge /x y", "/usr/bin/env is missing"])
def test_a_slash_after_mentions_makes_a_command(text: str) -> None:
    line = said(text)

    assert (line.alone, line.heard) == (True, text)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("§", "", ""),
        ("§review", "review", ""),
        (" § review  a b ", "review", "a b"),
        ("§review one\ntwo", "review", "one\ntwo"),
    ],
)
def test_a_skill_is_called_by_its_name(text: str, name: str, arguments: str) -> None:
    assert parse(text, AGENTS) == SkillCall(text.strip(), name, arguments)


@given(st.from_regex(r"[^\s/§]{1,20}", fullmatch=True), st.text())
def test_a_printed_call_of_a_skill_is_read_as_itself(name: str, arguments: str) -> None:
    line = parse(f"§{name} {arguments}", AGENTS)

    assert isinstance(line, SkillCall)
    assert (line.name, line.arguments) == (normalize("NFC", name), arguments.strip())


def test_a_skill_may_be_called_by_agents_and_with_files() -> None:
    line = parse("@maia @forge §review @a.py", AGENTS)

    assert isinstance(line, SkillCall)
    assert (line.mentions, line.name, line.arguments) == (("maia", "forge"), "review", "@a.py")
    assert [one.candidates for one in line.references] == [("a.py",)]


def test_a_quote_that_never_closes_leaves_nothing_to_run() -> None:
    assert parse("!'ls -la", AGENTS) == Shell("!'ls -la", None)


def rebuilt(line: Line) -> str:
    """Returns the line put together again from what was read, without spaces and in small."""
    match line:
        case Slash():
            words = ["/", line.name, f"@{line.agent}" if line.agent else "", line.argument]
        case Shell():
            words = ["!", line.text[1:] if line.command is None else line.command]
        case SkillCall():
            before = line.text.partition("§")[0]
            words = [before, "§", line.name, line.arguments]
        case Said():
            words = [line.text]
        case _:
            assert_never(line)
    return "".join("".join(words).split()).lower()


@example("/new @maia x")
@example("!'echo \\'a\\'' b")
@example("@maia §review a b")
@given(TYPED)
def test_every_text_is_exactly_one_of_them_and_nothing_is_lost(text: str) -> None:
    line = parse(text, AGENTS)
    typed = "".join(text.split()).lower()
    if isinstance(line, Shell) and text.strip()[1:].strip().startswith("'"):
        assert sorted(rebuilt(line).replace("'", "").replace("\\", "")) == sorted(
            typed.replace("'", "").replace("\\", "")
        )  # quotes that were read are gone, and nothing else
    else:
        assert rebuilt(line) == typed
    assert line.text == text.strip()
    if isinstance(line, Said | SkillCall):
        assert set(line.mentions) <= set(AGENTS)


@given(st.text(alphabet=st.characters(exclude_characters="@/`!§")))
def test_plain_prose_stays_prose(text: str) -> None:
    line = parse(text, AGENTS)

    assert isinstance(line, Said)
    assert not line.mentions
    assert not line.alone


@given(TYPED.map(lambda text: text.encode("utf-8", "replace").decode()))
def test_what_a_turn_keeps_is_what_was_read(text: str) -> None:
    line = parse(text, AGENTS)
    if isinstance(line, Said | SkillCall):
        assert request_of(json.loads(json.dumps(kept(line))), line.text) == line
