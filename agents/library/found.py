"""Library: the skills, tools and instructions a person finds in a workspace, and what is broken.

Read from files each time: workspace first, then the team's library, then the person's home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from django.conf import settings

from agents.domain.library import custom_tools, skills
from agents.domain.library.custom_tools import RESERVED, CustomTool, definition_digest, parse_tool
from agents.domain.library.problems import LibraryProblem
from agents.domain.library.skills import Skill, SkillSource, by_precedence, parse_skill
from workspaces.domain.argv import HOME, TEAM_SKILLS, WORKSPACE
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.folders import team_skills

INSTRUCTIONS = ("MAIA.md", "CLAUDE.md", "AGENTS.md")
MAX_FILE = 1024 * 1024
MOST_FOLDERS = 500
SKILLS = ".maia/skills"
TOOLS = ".maia/tools"

ToolSource = Literal["workspace", "home"]


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A valid custom tool, and its folder as `Sandbox.run` takes it and as a command sees it.

    `digest` stands for this definition in this place.
    """

    tool: CustomTool
    source: ToolSource
    path: str
    cwd: str
    inside: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Warned:
    """A file that was skipped, or that is missed: `path` as people read it, and why."""

    path: str
    problem: LibraryProblem


@dataclass(frozen=True, slots=True)
class Library:
    """What agents find besides the conversation."""

    skills: tuple[Skill, ...] = ()
    tools: tuple[FoundTool, ...] = ()
    instructions: str = ""
    warnings: tuple[Warned, ...] = ()


@dataclass(slots=True)
class _Shelf:
    """One folder of folders: how its entries and files are read, and what went wrong."""

    shown: str
    folders: Callable[[], list[str]]
    read: Callable[[str], str]
    warnings: list[Warned] = field(default_factory=list)

    def files(self, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        """Yields folder, shown path and text of the first file of `names` in each folder."""
        try:
            folders = self.folders()
        except FileError:
            return
        if len(folders) > MOST_FOLDERS:
            self.warn(self.shown, LibraryProblem("too-many", most=MOST_FOLDERS))
        for folder in folders[:MOST_FOLDERS]:
            yield from self._first(folder, names)

    def warn(self, path: str, problem: LibraryProblem) -> None:
        self.warnings.append(Warned(path, problem))

    def _first(self, folder: str, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        for name in names:
            try:
                text = self.read(f"{folder}/{name}")
            except FileError as error:
                if error.code == "not-found":
                    continue
                problem = LibraryProblem("unreadable", cause=error.message)
                self.warn(f"{self.shown}/{folder}/{name}", problem)
            else:
                yield folder, f"{self.shown}/{folder}/{name}", text
            return
        self.warn(f"{self.shown}/{folder}", LibraryProblem("no-file", file=names[0]))


def library_of(place: Place, check: PathCheck | None = None) -> Library:
    """Reads everything; broken files are skipped, with a warning that names file and cause.

    `check` judges where links lead, for what an agent gets to read.
    """
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
        for name, path, text in shelf.files(skills.FILE_NAMES):
            folder = f"{inside}/{name}" if inside else ""
            try:
                found.append(parse_skill(name, text, source=source, path=path, folder=folder))
            except LibraryProblem as problem:
                shelf.warn(path, problem)
        warnings += shelf.warnings
    return found, warnings


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
        for folder, path, text in shelf.files(custom_tools.FILE_NAMES):
            try:
                tool = parse_tool(folder, text, RESERVED)
            except LibraryProblem as problem:
                shelf.warn(path, problem)
                continue
            if tool.name in names:
                shelf.warn(path, LibraryProblem("duplicate", name=tool.name))
                continue
            names.add(tool.name)
            digest = definition_digest(tool, where)
            one = FoundTool(tool, source, path, f"{shown}/{folder}", f"{inside}/{folder}", digest)
            found.setdefault(tool.name, one)  # the workspace's wins, without a word (M §10.1)
        warnings += shelf.warnings
    return tuple(found[name] for name in sorted(found)), warnings


def _instructions(files: LocalFiles) -> tuple[str, list[Warned]]:
    """Returns the file whose instructions the agents get (M §11.1), and those before it, broken."""
    unread: list[Warned] = []
    for name in INSTRUCTIONS:
        try:
            files.read(name, MAX_FILE)
        except FileError as error:
            if error.code != "not-found":
                unread.append(Warned(name, LibraryProblem("unreadable", cause=error.message)))
            continue
        return name, unread
    return "", unread


def _shelf(files: LocalFiles, path: str) -> _Shelf:
    return _Shelf(
        path,
        lambda: sorted(
            entry.name
            for entry in files.entries(path)
            if entry.dir and not entry.name.startswith(".")
        ),
        lambda name: files.read(f"{path}/{name}", MAX_FILE).text,
    )


def _team_shelf() -> _Shelf:
    data: Path = settings.DATA
    root = data / "library" / "skills"
    return _Shelf(
        "library/skills", lambda: _team_folders(root), lambda name: _team_file(root / name)
    )


def _team_folders(root: Path) -> list[str]:
    try:
        return sorted(one.name for one in root.iterdir() if one.is_dir() and one.name[0] != ".")
    except OSError as error:
        raise FileError("not-found", str(error)) from error


def _team_file(path: Path) -> str:
    """Administrators keep these files: they are trusted to be no trap."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise FileError("too-large", f"{path.name} has more than {MAX_FILE:,} bytes.")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise FileError("not-found", path.name) from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileError("denied", str(error)) from error
