"""Flat skills: one file `<name>.md` each, which the toolset `mm` knows besides folders (seed T)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from agents.domain.library.skills import Skill, SkillSource, parse_flat_skill
from agents.library.found import MAX_FILE, MOST_FOLDERS, SKILLS
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.files.local import LocalFiles

ENDING = ".md"


def flat_skills_of(place: Place, check: PathCheck | None = None) -> tuple[Skill, ...]:
    """Returns those of the workspace, the team and the person; what cannot be read is left out.

    `check` judges where links lead.
    """
    files = LocalFiles(place, check=check)
    return (
        *_skills("workspace", SKILLS, _below(files, SKILLS)),
        *_skills("team", "library/skills", _of_team()),
        *_skills("home", f"~/{SKILLS}", _below(files, f"~/{SKILLS}")),
    )


def _skills(source: SkillSource, folder: str, found: Iterator[tuple[str, str]]) -> Iterator[Skill]:
    for file, text in found:
        name = file.removesuffix(ENDING)
        skill = parse_flat_skill(name, text, source=source, path=f"{folder}/{file}")
        if skill is not None:
            yield skill


def _below(files: LocalFiles, folder: str) -> Iterator[tuple[str, str]]:
    try:
        names = [one.name for one in files.entries(folder) if not one.dir]
    except FileError:
        return
    for name in [name for name in names if name.endswith(ENDING)][:MOST_FOLDERS]:
        try:
            yield name, files.read(f"{folder}/{name}", MAX_FILE).text
        except FileError:
            continue


def _of_team() -> Iterator[tuple[str, str]]:
    """Administrators keep these files: they are trusted to be no trap."""
    data: Path = settings.DATA
    for file in sorted((data / "library" / "skills").glob(f"*{ENDING}"))[:MOST_FOLDERS]:
        try:
            if file.stat().st_size <= MAX_FILE:
                yield file.name, file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
