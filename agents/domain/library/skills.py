"""Skills: instructions in a folder `<name>/SKILL.md`, loaded on demand (seed M §11.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from agents.domain.content.wording import Sentences, say
from agents.domain.library.frontmatter import parse_frontmatter
from agents.domain.library.problems import LibraryProblem

SkillSource = Literal["workspace", "team", "home"]
PRECEDENCE: tuple[SkillSource, ...] = ("workspace", "team", "home")
FILE_NAMES = ("SKILL.md", "skill.md")
LONGEST_LINE = 200

_NAME = re.compile(r"[^\s/§]{1,64}")
_TEXTS: Sentences = {
    "section": (
        "# Skills\n\nInstructions for particular tasks. When one fits, load it with the Skill tool "
        "before you begin:\n\n{skills}",
        "# Skills\n\nDes consignes pour des tâches particulières. Quand l'un convient, charge-le "
        "avec l'outil Skill avant de commencer :\n\n{skills}",
    ),
    "loaded": ("Skill {name}{folder}:\n\n{body}", "Skill {name}{folder} :\n\n{body}"),
    "folder": (" (its files are in {folder})", " (ses fichiers sont dans {folder})"),
}


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as it was found. `folder`: where commands in the sandbox find its files, or "".

    `text` is the whole file, its header included; the letters of `name` are composed (NFC).
    """

    name: str
    description: str
    body: str
    source: SkillSource
    path: str
    folder: str = ""
    text: str = ""


def parse_skill(name: str, text: str, *, source: SkillSource, path: str, folder: str = "") -> Skill:
    """Reads the file of the skill in the folder `name`. Raises `LibraryProblem`."""
    if not _NAME.fullmatch(name):
        raise LibraryProblem("folder-name")
    name = unicodedata.normalize("NFC", name)
    fields, body = parse_frontmatter(text)
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        raise LibraryProblem("no-description")
    given = unicodedata.normalize("NFC", _written(fields.get("name", name)))
    if given != name:
        raise LibraryProblem("other-name", given=given[:80], folder=name)
    words = " ".join(description.split())
    return Skill(name, words, body.strip(), source, path, folder, text)


def _written(value: object) -> str:
    """Returns a field as text; what holds others may name them a million times over."""
    return "…" if isinstance(value, Collection) and not isinstance(value, str) else str(value)


def parse_flat_skill(name: str, text: str, *, source: SkillSource, path: str) -> Skill | None:
    """Reads a skill that is one file `<name>.md` (seed T); None if `name` is no name of a skill.

    It needs no header: else its first line describes it.
    """
    if not _NAME.fullmatch(name) or name.startswith("."):
        return None
    try:
        fields, body = parse_frontmatter(text)
    except LibraryProblem:
        fields, body = {}, text
    given = fields.get("description")
    words = given if isinstance(given, str) and given.strip() else _first_line(body)
    name = unicodedata.normalize("NFC", name)
    return Skill(name, " ".join(words.split())[:LONGEST_LINE], body.strip(), source, path, "", text)


def _first_line(body: str) -> str:
    lines = (line.strip().lstrip("#").strip() for line in body.splitlines())
    return next((line for line in lines if line), "")


def by_precedence(skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """Returns one skill of each name: the workspace's, else the team's, else the person's own."""
    chosen: dict[str, Skill] = {}
    for skill in sorted(skills, key=lambda one: PRECEDENCE.index(one.source)):
        chosen.setdefault(skill.name, skill)
    return tuple(sorted(chosen.values(), key=lambda one: one.name))


def skills_section(skills: Iterable[Skill], language: str) -> str:
    """Returns the part of the system prompt that lists the skills; "" without any."""
    lines = [f"- {skill.name}: {skill.description}" for skill in skills]
    return say(_TEXTS, "section", language, skills="\n".join(lines)) if lines else ""


def skill_prompt(skill: Skill, arguments: str, language: str) -> str:
    """Returns what the model reads: `$ARGUMENTS` filled in, else `ARGUMENTS:` at the end."""
    body = skill.body.replace("$ARGUMENTS", arguments)
    if arguments and "$ARGUMENTS" not in skill.body:
        body = f"{body}\n\nARGUMENTS: {arguments}"
    folder = say(_TEXTS, "folder", language, folder=skill.folder) if skill.folder else ""
    # not `say`: braces in a body are the author's
    english, french = _TEXTS["loaded"]
    frame = french if language.startswith("fr") else english
    head = frame.partition("{body}")[0].format(name=skill.name, folder=folder)
    return head + body
