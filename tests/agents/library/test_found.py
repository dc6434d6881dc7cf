"""What agents find in a workspace, the team's library and a home; broken files are skipped."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from agents.domain.library.found import Library
from agents.library.found import library_of
from maia_web.lib.ids import new_id
from workspaces.domain.places import Place
from workspaces.sandboxes.folders import folders_of

_numbers = itertools.count(700_000 + os.getpid() % 1_000 * 100)


class Shelves:
    """A new workspace and home, and the team's folder."""

    def __init__(self, team: Path) -> None:
        number = next(_numbers)
        self.place = Place(new_id(), number, number)
        folders = folders_of(self.place)
        self.workspace, self.home, self.team = folders.workspace, folders.home, team
        self._own = folders.settings

    def skill(self, root: Path, name: str, text: str = "", file: str = "SKILL.md") -> None:
        folder = self._shelf(root, "skills") / name
        folder.mkdir(parents=True)
        (folder / file).write_text(text or f"---\ndescription: {name} of {root.name}\n---\nDo.")

    def tool(self, root: Path, folder: str, text: str, file: str = "TOOL.json") -> None:
        path = self._shelf(root, "tools") / folder
        path.mkdir(parents=True)
        (path / file).write_text(text)

    def _shelf(self, root: Path, kind: str) -> Path:
        if root == self.team:
            return root
        return (self._own if root == self.home else root / ".maia") / kind

    @property
    def library(self) -> Library:
        return library_of(self.place)


@pytest.fixture
def shelves() -> Iterator[Shelves]:
    team = settings.DATA / "library" / "skills"
    made = [f"t{number}" for number in range(3)]
    yield Shelves(team)
    for name in made:
        folder = team / name
        for file in folder.glob("*"):
            file.unlink()
        if folder.exists():
            folder.rmdir()


def tool_text(name: str = "", run: str = "true") -> str:
    named = f'"name": "{name}", ' if name else ""
    return f'{{{named}"description": "x", "command": {{"run": "{run}"}}}}'


def test_an_empty_workspace_has_an_empty_library(shelves: Shelves) -> None:
    assert shelves.library == Library()


def test_the_nearest_skill_of_a_name_wins(shelves: Shelves) -> None:
    shelves.skill(shelves.workspace, "t0")
    for root in (shelves.team, shelves.home):
        shelves.skill(root, "t0")
        shelves.skill(root, "t1")
    shelves.skill(shelves.home, "t2", file="skill.md")

    found = {skill.name: (skill.source, skill.folder) for skill in shelves.library.skills}
    assert found == {
        "t0": ("workspace", "/workspace/.maia/skills/t0"),
        "t1": ("team", "/opt/skills/t1"),
        "t2": ("home", "/home/agent/.maia/skills/t2"),
    }


def test_a_broken_skill_gives_way_to_a_good_one_and_is_named(shelves: Shelves) -> None:
    shelves.skill(shelves.workspace, "t0", "no header")
    shelves.skill(shelves.home, "t0")
    (shelves.workspace / ".maia/skills/bare").mkdir()

    library = shelves.library
    assert [skill.source for skill in library.skills] == ["home"]
    assert [(one.path, one.problem.code) for one in library.warnings] == [
        (".maia/skills/bare", "no-file"),
        (".maia/skills/t0/SKILL.md", "no-header"),
    ]


def test_the_workspaces_tool_wins_without_a_word_and_doubles_are_named(shelves: Shelves) -> None:
    shelves.tool(shelves.workspace, "a", tool_text("Add", "one"))
    shelves.tool(shelves.workspace, "b", tool_text("Add", "two"))
    shelves.tool(shelves.home, "c", tool_text("Add", "three"), file="tool.json")
    shelves.tool(shelves.home, "d", tool_text())
    shelves.tool(shelves.home, "e", tool_text("Bash"))
    shelves.tool(shelves.home, "f", "{")

    library = shelves.library
    assert [(one.tool.name, one.source, one.tool.run) for one in library.tools] == [
        ("Add", "workspace", ("one",)),
        ("d", "home", ("true",)),
    ]
    assert (library.tools[1].cwd, library.tools[1].inside) == (
        "~/.maia/tools/d",
        "/home/agent/.maia/tools/d",
    )
    assert [(one.path, one.problem.code) for one in library.warnings] == [
        (".maia/tools/b/TOOL.json", "duplicate"),
        ("~/.maia/tools/e/TOOL.json", "reserved"),
        ("~/.maia/tools/f/TOOL.json", "broken-json"),
    ]


def test_a_link_out_of_the_folders_is_not_followed(shelves: Shelves, tmp_path: Path) -> None:
    secret = tmp_path / "SKILL.md"
    secret.write_text("---\ndescription: stolen\n---\nsecret")
    folder = shelves.workspace / ".maia/skills/t0"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to(secret)

    library = shelves.library
    assert library.skills == ()
    assert library.warnings[0].problem.code == "unreadable"


def test_a_file_that_is_not_text_or_too_large_is_named(shelves: Shelves) -> None:
    for name, content in (("t0", b"\xff\xfe"), ("t1", b"x" * (1024 * 1024 + 1))):
        folder = shelves.workspace / ".maia/skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(content)

    assert [one.problem.code for one in shelves.library.warnings] == ["unreadable"] * 2


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        (("MAIA.md", "CLAUDE.md", "AGENTS.md"), "MAIA.md"),
        (("CLAUDE.md", "AGENTS.md"), "CLAUDE.md"),
        (("AGENTS.md",), "AGENTS.md"),
        ((), ""),
    ],
)
def test_the_first_file_of_instructions_counts(
    shelves: Shelves, files: tuple[str, ...], chosen: str
) -> None:
    for name in files:
        (shelves.workspace / name).write_text("Be kind.")

    assert shelves.library.instructions == chosen
    assert shelves.library.warnings == ()


def test_instructions_that_lead_out_of_the_workspace_are_named(
    shelves: Shelves, tmp_path: Path
) -> None:
    (tmp_path / "MAIA.md").write_text("secret")
    (shelves.workspace / "MAIA.md").symlink_to(tmp_path / "MAIA.md")
    (shelves.workspace / "CLAUDE.md").write_text("Be kind.")

    library = shelves.library
    assert library.instructions == "CLAUDE.md"
    assert [(one.path, one.problem.code) for one in library.warnings] == [("MAIA.md", "unreadable")]
