"""The line a person types: what it is, and that nothing of it is lost."""

from __future__ import annotations

import json
from pathlib import Path
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
        ("  /", Said),
        (" /help", Slash),
        ("/nobody:plan", Said),
        ("/maia:clear", Slash),
        ("@maia /clear", Slash),
        ("@maia @forge /clear", Said),
        ("@forge /plan", Said),
        ("/tmp is full", Said),
        ("\n    !important;\n", Said),
        ("\t/help", Said),
        ("\\/help", Said),
        ("\\!ls", Said),
        ("\\§review", Said),
        ("§ 433 BGB", Said),
        ("§12a, then", Said),
        ("@maia §433", Said),
        ("§3d-model", SkillCall),
        ("/usr/bin/env is missing", Said),
        ("/forge:plan", Said),
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


def test_the_server_makes_of_a_line_what_the_composer_says() -> None:
    for text, shown in json.loads(Path("tests/golden/lines.json").read_text()):
        line = parse(text, ("maia", "forge"))
        match line:
            case Slash():
                kind = {"command"}
            case Shell():
                kind = {"shell"}
            case SkillCall():
                kind = {"skill"}
            case Said(plain=plain, command=command):
                kind = {"plain"} if plain else {"agent"} if command else {"said", "unknown"}
            case _:
                assert_never(line)
        assert shown in kind, text


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


@pytest.mark.parametrize("text", ["@forge /help me", "@maia @forge /x y", "/plan the week"])
def test_a_slash_after_mentions_makes_a_command(text: str) -> None:
    line = said(text)

    assert (line.alone, line.heard) == (True, text)


@pytest.mark.parametrize("text", ["/usr/bin/env is missing", "@maia /README.md is wrong"])
def test_a_path_makes_none(text: str) -> None:
    assert not said(text).alone


@pytest.mark.parametrize("text", ["@maia /clear", "/maia:clear", "/clear @maia"])
def test_a_command_of_the_server_names_whose_session_it_means(text: str) -> None:
    assert parse(text, AGENTS) == Slash(text, "clear", "", "maia")


@pytest.mark.parametrize("text", ["@forge /clear", "/forge:clear"])
def test_an_agent_that_keeps_its_own_sessions_gets_the_command(text: str) -> None:
    line = parse(text, AGENTS, hosted=("maia",))

    assert isinstance(line, Said)
    assert line.mentions == ("forge",)


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("\\/clear", "/clear"),
        ("\\/tmp is full", "/tmp is full"),
        ("\\!important", "!important"),
        ("\\§review @a.py", "§review @a.py"),
        ("\\@maia /clear", "@maia /clear"),
        ("\\alpha", "\\alpha"),
        ("\\\\server\\share", "\\\\server\\share"),
        ("\\/a\\/b/ is the pattern", "\\/a\\/b/ is the pattern"),
    ],
)
def test_a_backslash_sends_a_line_as_it_is(text: str, heard: str) -> None:
    line = said(text)

    assert (line.text, line.heard, line.alone) == (text, heard, False)


def test_the_first_line_keeps_its_indentation() -> None:
    assert said("\n \n    def f():\n        pass\n").text == "    def f():\n        pass"
    assert heard("\n  key: 1\n  other: 2\n") == "  key: 1\n  other: 2"
    assert heard(" x\n y") == " x\n y"


def heard(text: str) -> str:
    line = parse(text, ["maia"])
    assert isinstance(line, Said)
    return line.heard


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


@given(st.from_regex(r"[^\s/§\d][^\s/§]{0,20}", fullmatch=True), st.text())
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
            asked = ["/", line.name, line.agent or "", line.argument]
            return "".join(sorted("".join("".join(asked).split()).lower()))
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
    if isinstance(line, Slash):
        named = typed.replace("@", "").replace(":", "") if line.agent else typed
        assert rebuilt(line) == "".join(sorted(named))
    elif isinstance(line, Shell) and text.strip()[1:].strip().startswith("'"):
        assert sorted(rebuilt(line).replace("'", "").replace("\\", "")) == sorted(
            typed.replace("'", "").replace("\\", "")
        )  # quotes that were read are gone, and nothing else
    else:
        assert rebuilt(line) == typed
    assert line.text.strip() == text.strip()
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
