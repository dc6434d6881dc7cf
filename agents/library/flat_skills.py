"""Flat skills: one file `<name>.md` each, which the toolset `mm` knows besides folders (seed T)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from django.conf import settings

from agents.domain.library.skills import Skill, SkillSource, parse_flat_skill
from agents.library.found import MAX_FILE, MOST_FOLDERS, SKILLS, is_plain, use_team_file
from agents.library.kept import KEPT
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.files.local import LocalFiles
from workspaces.files.reads import OpenFile, as_text

ENDING = ".md"
Use = Callable[[Callable[[OpenFile], Skill | None]], Skill | None]
"""Opens a file, and gives what is made of it."""


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


def _skills(source: SkillSource, folder: str, found: Iterator[tuple[str, Use]]) -> Iterator[Skill]:
    for file, use in found:
        path = f"{folder}/{file}"
        parse = partial(_skill, source, file.removesuffix(ENDING), path)
        with suppress(FileError):
            skill = use(partial(KEPT.of, what=("flat", path), make=parse))
            if skill is not None:
                yield skill


def _skill(source: SkillSource, name: str, path: str, content: bytes) -> Skill | None:
    return parse_flat_skill(name, as_text(path, content), source=source, path=path)


def _below(files: LocalFiles, folder: str) -> Iterator[tuple[str, Use]]:
    try:
        names = [one.name for one in files.entries(folder) if not one.dir]
    except FileError:
        return
    for name in [name for name in names if name.endswith(ENDING)][:MOST_FOLDERS]:
        yield name, partial(files.use, f"{folder}/{name}", MAX_FILE)


def _of_team() -> Iterator[tuple[str, Use]]:
    data: Path = settings.DATA
    found = sorted((data / "library" / "skills").glob(f"*{ENDING}"))
    for file in [one for one in found if is_plain(one.name)][:MOST_FOLDERS]:
        yield file.name, partial(use_team_file, file)
