"""Library: the skills, tools and instructions a person finds in a workspace, and what is broken.

Looked for in files, workspace first, then the team's library, then the person's home;
what files say is kept for as long as they stay the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings

from agents.domain.library import custom_tools, skills
from agents.domain.library.custom_tools import RESERVED, CustomTool, definition_digest, parse_tool
from agents.domain.library.found import INSTRUCTIONS, FoundTool, Library, ToolSource, Warned
from agents.domain.library.problems import LibraryProblem
from agents.domain.library.skills import Skill, SkillSource, by_precedence, parse_skill
from agents.library.assembled import ASSEMBLED
from agents.library.kept import KEPT
from workspaces.domain.argv import HOME, TEAM_SKILLS, WORKSPACE
from workspaces.domain.entries import FileError
from workspaces.domain.paths import parse_path
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.domain.spelling import spelled
from workspaces.files.errors import file_errors
from workspaces.files.local import LocalFiles
from workspaces.files.reads import OpenFile, as_text
from workspaces.sandboxes.folders import folders_of, team_skills

MAX_FILE = 1024 * 1024
MOST_FOLDERS = 500
SKILLS = ".maia/skills"
TOOLS = ".maia/tools"

T = TypeVar("T")


@dataclass(slots=True)
class _Shelf:
    """One folder of folders: how its entries and files are read, and what went wrong."""

    shown: str
    folders: Callable[[], list[str]]
    use: Callable[[str, Callable[[OpenFile], Any]], Any]
    warnings: list[Warned] = field(default_factory=list)

    def read(
        self, names: tuple[str, ...], parse: Callable[[str, str, str], T], kind: Hashable
    ) -> Iterator[tuple[str, str, T]]:
        """Yields folder, shown path and what `parse` makes of these and of the file's text.

        It is the first file of `names` in each folder; `kind` stands for `parse`.
        """
        try:
            folders = self.folders()
        except FileError:
            return
        if len(folders) > MOST_FOLDERS:
            self.warn(self.shown, LibraryProblem("too-many", most=MOST_FOLDERS))
        for folder in folders[:MOST_FOLDERS]:
            yield from self._first(folder, names, parse, kind)

    def warn(self, path: str, problem: LibraryProblem) -> None:
        self.warnings.append(Warned(path, problem))

    def _first(
        self,
        folder: str,
        names: tuple[str, ...],
        parse: Callable[[str, str, str], T],
        kind: Hashable,
    ) -> Iterator[tuple[str, str, T]]:
        for name in names:
            path = f"{self.shown}/{folder}/{name}"

            def made(content: bytes, path: str = path) -> T:
                return parse(folder, path, as_text(path, content))

            try:
                found = self.use(f"{folder}/{name}", partial(KEPT.of, what=(kind, path), make=made))
            except LibraryProblem as problem:
                self.warn(path, problem)
            except FileError as error:
                if error.code == "not-found":
                    continue
                self.warn(path, LibraryProblem("unreadable", cause=error.message))
            else:
                yield folder, path, found
            return
        self.warn(f"{self.shown}/{folder}", LibraryProblem("no-file", file=names[0]))


def library_of(place: Place, check: PathCheck | None = None) -> Library:
    """Reads everything; broken files are skipped, with a warning that names file and cause.

    `check` judges where links lead, for what an agent gets to read: then each file is opened.
    """
    read = partial(_read, place, check)
    if check is not None:
        return read()
    return ASSEMBLED.of((settings.DATA, place), partial(_looked_at, place), read)


def _read(place: Place, check: PathCheck | None) -> Library:
    files = LocalFiles(place, check=check)
    found_skills, skill_warnings = _skills(files)
    found_tools, tool_warnings = _tools(files, place)
    instructions, unread = _instructions(files)
    return Library(
        by_precedence(found_skills),
        found_tools,
        instructions,
        (*skill_warnings, *tool_warnings, *unread),
    )


def _looked_at(place: Place) -> Iterator[str]:
    """Yields every path of this machine that `_read` depends on, as far as they are there."""
    folders = folders_of(place)
    team: Path = settings.DATA / "library" / "skills"
    yield str(team.parent)  # its rights count, too
    shelves = [(team, skills.FILE_NAMES)]
    for shown, names in ((SKILLS, skills.FILE_NAMES), (TOOLS, custom_tools.FILE_NAMES)):
        places = (parse_path(shown), parse_path(f"~/{shown}"))
        shelves += [(folders.under(where.root) / where.path, names) for where in places]
    for shelf, names in shelves:
        yield str(shelf)
        with suppress(OSError):
            for folder in os.listdir(shelf):  # noqa: PTH208 (a third of the time)
                yield from _until_there(f"{shelf}/{folder}/{name}" for name in names)
    yield from (f"{folders.workspace}/{name}" for name in INSTRUCTIONS)


def _until_there(paths: Iterable[str]) -> Iterator[str]:
    """Yields the paths up to the first that is there: what comes after it is not looked at."""
    for path in paths:
        yield path
        if os.path.exists(path):  # noqa: PTH110 (as above)
            return


def custom_tool(place: Place, name: str) -> FoundTool | None:
    """Returns the custom tool of this name, None where there is none."""
    if name in RESERVED:
        return None
    found, _warnings = _tools(LocalFiles(place), place)
    return next((one for one in found if one.tool.name == name), None)


def _skills(files: LocalFiles) -> tuple[list[Skill], list[Warned]]:
    shelves: tuple[tuple[SkillSource, _Shelf, str], ...] = (
        ("workspace", _shelf(files, SKILLS), f"{WORKSPACE}/{SKILLS}"),
        ("team", _team_shelf(), TEAM_SKILLS if team_skills() else ""),
        ("home", _shelf(files, f"~/{SKILLS}"), f"{HOME}/{SKILLS}"),
    )
    found: list[Skill] = []
    warnings: list[Warned] = []
    for source, shelf, inside in shelves:
        parse = partial(_skill, source, inside)
        found += [skill for *_where, skill in shelf.read(skills.FILE_NAMES, parse, inside)]
        warnings += shelf.warnings
    return found, warnings


def _skill(source: SkillSource, inside: str, folder: str, path: str, text: str) -> Skill:
    shown = f"{inside}/{folder}" if inside else ""
    return parse_skill(folder, text, source=source, path=path, folder=shown)


def _tools(files: LocalFiles, place: Place) -> tuple[tuple[FoundTool, ...], list[Warned]]:
    shelves: tuple[tuple[ToolSource, str, str, str], ...] = (
        ("workspace", TOOLS, f"{WORKSPACE}/{TOOLS}", place.workspace),
        ("home", f"~/{TOOLS}", f"{HOME}/{TOOLS}", f"home:{place.user}"),
    )
    found: dict[str, FoundTool] = {}
    warnings: list[Warned] = []
    for source, shown, inside, where in shelves:
        shelf = _shelf(files, shown)
        names: set[str] = set()
        for folder, path, tool in shelf.read(custom_tools.FILE_NAMES, _tool, "tool"):
            if tool.name in names:
                shelf.warn(path, LibraryProblem("duplicate", name=tool.name))
                continue
            names.add(tool.name)
            digest = definition_digest(tool, where)
            one = FoundTool(tool, source, path, f"{shown}/{folder}", f"{inside}/{folder}", digest)
            found.setdefault(tool.name, one)  # the workspace's wins, without a word (M §10.1)
        warnings += shelf.warnings
    return tuple(found[name] for name in sorted(found)), warnings


def _tool(folder: str, _path: str, text: str) -> CustomTool:
    return parse_tool(folder, text, RESERVED)


def _instructions(files: LocalFiles) -> tuple[str, list[Warned]]:
    """Returns the file whose instructions the agents get (M §11.1), and those before it, broken."""
    unread: list[Warned] = []
    for name in INSTRUCTIONS:
        try:
            text_of(files, name)
        except FileError as error:
            if error.code != "not-found":
                unread.append(Warned(name, LibraryProblem("unreadable", cause=error.message)))
            continue
        return name, unread
    return "", unread


def instructions_of(place: Place, check: PathCheck) -> tuple[str, str] | None:
    """Returns name and text of the file whose instructions agents get, as they may read it."""
    files = LocalFiles(place, for_agent=True, check=check)
    for name in INSTRUCTIONS:
        try:
            return name, text_of(files, name)
        except FileError:
            continue
    return None


def text_of(files: LocalFiles, path: str) -> str:
    """Returns the text of a file of at most MAX_FILE bytes; raises FileError."""
    text = partial(as_text, path)
    return files.use(path, MAX_FILE, partial(KEPT.of, what="text", make=text))


def _shelf(files: LocalFiles, path: str) -> _Shelf:
    return _Shelf(
        path,
        lambda: sorted(
            entry.name
            for entry in files.entries(path)
            if entry.dir and not entry.name.startswith(".")
        ),
        lambda name, use: files.use(f"{path}/{name}", MAX_FILE, use),
    )


def _team_shelf() -> _Shelf:
    data: Path = settings.DATA
    root = data / "library" / "skills"
    return _Shelf(
        "library/skills",
        lambda: _team_folders(root),
        lambda name, use: use_team_file(root / name, use),
    )


def _team_folders(root: Path) -> list[str]:
    try:
        return sorted(one.name for one in root.iterdir() if one.is_dir() and is_plain(one.name))
    except OSError as error:
        raise FileError("not-found", str(error)) from error


def is_plain(name: str) -> bool:
    """Says whether a name of the team's folder counts: not hidden, and text as it is."""
    return name[0] != "." and spelled(name) == name


def use_team_file(path: Path, use: Callable[[OpenFile], T]) -> T:
    """Returns what `use` makes of a file of the team; raises FileError.

    Administrators keep these files: they are trusted to be no trap.
    """
    with file_errors(path.name):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return use(OpenFile.of(str(path), path.name, descriptor, MAX_FILE))
        finally:
            os.close(descriptor)
