"""SKILL.md files and `§` lines (seed M §11.3)."""

from __future__ import annotations

from contextlib import suppress
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.problems import LibraryProblem
from agents.domain.library.skills import (
    Skill,
    SkillSource,
    by_precedence,
    parse_flat_skill,
    parse_skill,
    skill_prompt,
    skills_section,
)
from agents.domain.rules.policy import Policy
from agents.domain.tools.input import Declared, Parameter
from agents.domain.tools.kinds import SkillName
from agents.domain.typed.line import SkillCall, parse

GOOD = "---\nname: review\ndescription: How we\n  review\n---\n\nLook twice at $ARGUMENTS.\n"


def read(text: str, name: str = "review") -> Skill:
    return parse_skill(name, text, source="workspace", path=f".maia/skills/{name}/SKILL.md")


def test_a_skill_has_a_description_and_a_body() -> None:
    skill = read(GOOD)

    assert (skill.name, skill.description) == ("review", "How we review")
    assert skill.body == "Look twice at $ARGUMENTS."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no header", "no-header"),
        ("---\ndescription: x\n", "no-header"),
        ("---\n: [\n---\n", "broken-header"),
        ("---\n- a\n---\n", "empty-header"),
        ("---\n---\n", "empty-header"),
        (f"---\ndescription: x\na: [{'1.5, ' * 14_000}]\n---\n", "header-long"),
        ("---\nname: review\n---\n", "no-description"),
        ("---\ndescription: 3\n---\n", "no-description"),
        ("---\ndescription: x\nname: other\n---\n", "other-name"),
        ("---\ndescription: !!python/object/apply:os.system [id]\n---\n", "broken-header"),
    ],
)
def test_a_broken_file_says_why_in_both_languages(text: str, code: str) -> None:
    with pytest.raises(LibraryProblem) as caught:
        read(text)

    assert caught.value.code == code
    assert caught.value.sentence("fr") != caught.value.sentence("en")


@pytest.mark.parametrize("folder", ["révision", normalize("NFD", "révision")])
def test_a_skill_is_found_however_its_folder_spells_a_letter(folder: str) -> None:
    skill = read(f"---\nname: {normalize('NFD', folder)}\ndescription: x\n---\n", folder)
    line = parse(f"§{normalize('NFD', folder)} a", ())
    assert isinstance(line, SkillCall)
    called = Declared((Parameter("name", SkillName(), required=True),)).read({"name": folder})
    assert skill.name == line.name == called["name"] == "révision"
    for written in ("NFC", "NFD"):
        policy = Policy.of(allow=["Skill"], deny=[f"Skill({normalize(written, folder)})"])
        assert policy.evaluate("Skill", {"name": folder}).family == "deny"


def test_a_broken_header_names_the_line() -> None:
    with pytest.raises(LibraryProblem, match="line 3"):
        read("---\ndescription: x\n  bad: [\n---\n")


@given(st.text())
def test_any_text_is_a_skill_or_a_problem(text: str) -> None:
    for candidate in (text, f"---\n{text}\n---\n"):
        with suppress(LibraryProblem):
            assert read(candidate).description


def test_the_workspace_wins_over_the_team_and_the_team_over_home() -> None:
    def one(name: str, source: SkillSource) -> Skill:
        return Skill(name, source, "", source, "")

    chosen = by_precedence(
        [
            one("b", "home"),
            one("a", "home"),
            one("a", "team"),
            one("b", "team"),
            one("b", "workspace"),
        ]
    )

    assert [(skill.name, skill.source) for skill in chosen] == [("a", "team"), ("b", "workspace")]


def test_arguments_fill_their_place_or_stand_at_the_end() -> None:
    assert "Look twice at the {tests}." in skill_prompt(read(GOOD), "the {tests}", "en")
    plain = read("---\ndescription: x\n---\nDo {it}.")
    assert skill_prompt(plain, "now", "en").endswith("Do {it}.\n\nARGUMENTS: now")
    assert skill_prompt(plain, "", "fr").endswith("Do {it}.")


def test_the_list_for_the_model() -> None:
    assert skills_section([], "en") == ""
    assert "- review: How we review" in skills_section([read(GOOD)], "fr")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\ndescription: what it does\n---\nBody", "what it does"),
        ("\n\n## A title \nmore", "A title"),
        ("---\ndescription: [broken\n---\nBody", "---"),
        ("---\nname: x\n---\n# Body", "Body"),
        ("", ""),
        ("x" * 300, "x" * 200),
    ],
)
def test_a_flat_skill_is_described_by_its_header_or_its_first_line(text: str, words: str) -> None:
    skill = parse_flat_skill("s", text, source="home", path="~/.maia/skills/s.md")
    assert skill is not None
    assert (skill.description, skill.text) == (words, text)


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_file_is_a_flat_skill_or_none(name: str, text: str) -> None:
    skill = parse_flat_skill(name, text, source="home", path="p")
    assert skill is None or (skill.name, skill.text) == (normalize("NFC", name), text)
