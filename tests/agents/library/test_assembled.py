"""A whole library is kept while all it was read from stays the same, and says what stands there."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.found import Library
from agents.library import found
from agents.library.assembled import MOST, MOST_BYTES, Assembled
from agents.library.found import library_of
from maia_web.lib.ids import new_id
from workspaces.domain.places import Place
from workspaces.sandboxes.folders import folders_of

_numbers = itertools.count(720_000 + os.getpid() % 1_000 * 100)
LATER = 3_600_000_000_000


def later() -> int:
    """An hour from now: everything has settled."""
    return time.time_ns() + LATER


class Scene:
    """A new place whose libraries are kept at once; `reads` counts how often one was read."""

    def __init__(self) -> None:
        number = next(_numbers)
        self.place = Place(new_id(), number, number)
        self.folders = folders_of(self.place)
        self.skills = self.folders.workspace / ".maia" / "skills"
        self.assembled = Assembled(now=later)
        self.reads = 0

    def skill(self, name: str, words: str = "words", root: Path | None = None) -> Path:
        path = (root or self.skills) / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ndescription: {words}\n---\nDo.")
        return path

    def read(self) -> Library:
        self.reads += 1
        return found._read(self.place, None)

    @property
    def kept(self) -> Library:
        def looked_at() -> Iterator[str]:
            return found._looked_at(self.place)

        return self.assembled.of("here", looked_at, self.read)

    @property
    def descriptions(self) -> list[str]:
        return [one.description for one in self.kept.skills]


def told(library: Library) -> tuple[object, ...]:
    """What a library says; problems are exceptions, no two of which are equal."""
    warnings = [(one.path, one.problem.code) for one in library.warnings]
    return library.skills, library.tools, library.instructions, warnings


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.mark.promise("I9-library-assembled")
def test_what_did_not_change_is_read_once(scene: Scene) -> None:
    scene.skill("one")
    assert scene.kept is scene.kept
    assert scene.reads == 1


CHANGES: dict[str, Callable[[Scene], object]] = {
    "another text": lambda scene: scene.skill("one", "other"),
    "a new skill": lambda scene: scene.skill("two"),
    "a new name of the file": lambda scene: (scene.skills / "one/SKILL.md").rename(
        scene.skills / "one/skill.md"
    ),
    "no skill": lambda scene: (scene.skills / "one/SKILL.md").unlink(),
    "another name": lambda scene: (scene.skills / "one").rename(scene.skills / "three"),
    "one at home": lambda scene: scene.skill("mine", root=scene.folders.settings / "skills"),
    "a tool": lambda scene: _tool(scene.folders.workspace / ".maia/tools/build"),
    "a tool at home": lambda scene: _tool(scene.folders.settings / "tools/build"),
    "instructions": lambda scene: (scene.folders.workspace / "AGENTS.md").write_text("Do."),
    "a file in the empty folder": lambda scene: (scene.skills / "empty/skill.md").write_text(
        "---\ndescription: late\n---\nDo."
    ),
    "what a link leads to": lambda scene: scene.skill("far", root=scene.folders.workspace),
    "no folder": lambda scene: scene.skills.rename(scene.skills.with_name("elsewhere")),
}


def _tool(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "TOOL.json").write_text('{"description": "x", "command": {"run": "true"}}')


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.promise("I9-library-assembled")
def test_each_change_is_seen(scene: Scene, change: str) -> None:
    scene.skill("one")
    (scene.skills / "empty").mkdir()
    (scene.skills / "linked").symlink_to("../../far")  # leads nowhere yet
    assert scene.kept is scene.kept
    before = scene.kept
    CHANGES[change](scene)
    after = scene.kept
    assert told(after) != told(before)
    assert told(after) == told(found._read(scene.place, None))


def test_the_teams_skills_are_seen(scene: Scene) -> None:
    team = settings.DATA / "library" / "skills"
    assert scene.kept is scene.kept
    path = scene.skill(f"team{next(_numbers)}", "of the team", team)
    try:
        assert "of the team" in scene.descriptions
    finally:
        path.unlink()
        path.parent.rmdir()
    assert "of the team" not in scene.descriptions


def test_what_was_set_back_is_seen(scene: Scene) -> None:
    path = scene.skill("one", "first")
    assert scene.descriptions == ["first"]
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_text(path.read_text().replace("first", "other"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert scene.descriptions == ["other"]


@pytest.mark.promise("I9-library-assembled")
def test_a_link_that_leads_out_later_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    path = scene.skill("one", "inside")
    outside = tmp_path / "SKILL.md"
    outside.write_text(path.read_text().replace("inside", "secret"))
    assert scene.descriptions == ["inside"]
    path.unlink()
    path.symlink_to(outside)
    assert scene.descriptions == []
    assert [one.problem.code for one in scene.kept.warnings] == ["unreadable"]


def test_what_could_not_be_read_is_tried_again(scene: Scene, tmp_path: Path) -> None:
    scene.skill("one")
    (scene.skills / "one" / "SKILL.md").unlink()
    (scene.skills / "one" / "SKILL.md").symlink_to(tmp_path)
    assert scene.kept.warnings
    assert scene.kept.warnings
    assert scene.reads == 2


def test_what_changed_a_moment_ago_is_read_again(scene: Scene) -> None:
    scene.assembled = Assembled(now=time.time_ns)
    scene.skill("one")
    assert scene.kept == scene.kept
    assert scene.reads == 2


def test_what_is_too_large_is_read_again(scene: Scene) -> None:
    path = scene.skill("one")
    path.write_text(path.read_text() + "x" * MOST_BYTES)
    assert scene.kept.warnings or scene.kept.skills
    assert scene.kept.warnings or scene.kept.skills
    assert scene.reads >= 2


def test_no_more_libraries_are_kept_than_fit() -> None:
    assembled = Assembled(now=later)
    reads: list[int] = []

    def of(key: int) -> None:
        def read() -> Library:
            reads.append(key)
            return Library()

        assembled.of(key, lambda: (), read)

    for key in (*range(MOST), 0, MOST):
        of(key)
    for key in (0, MOST, 1):
        of(key)
    assert reads == [*range(MOST), MOST, 1]  # 1 was not asked for longest


def test_a_library_is_never_found_under_another_persons_name() -> None:
    one, two = Scene(), Scene()
    one.skill("mine", root=one.folders.settings / "skills")
    for _ in range(2):
        assert [skill.name for skill in library_of(one.place).skills] == ["mine"]
        assert library_of(two.place).skills == ()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "remove", "link", "folder", "upper"]),
        st.sampled_from(["one", "two", "three"]),
        st.sampled_from(["a", "b"]),
    ),
    max_size=8,
)


@given(STEPS)
@pytest.mark.promise("I9-library-assembled")
def test_whatever_happens_to_files_what_is_kept_is_what_stands_there(
    steps: list[tuple[str, str, str]],
) -> None:
    scene = Scene()
    for what, name, words in steps:
        _act(scene, what, name, words)
        assert told(scene.kept) == told(found._read(scene.place, None)), (what, name, words)


def _act(scene: Scene, what: str, name: str, words: str) -> None:
    folder = scene.skills / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("skill.md" if what == "upper" else "SKILL.md")
    before = {one: one.stat().st_ctime_ns for one in (path,) if one.exists()}
    path.unlink(missing_ok=True)
    if what in {"write", "upper"}:
        path.write_text(f"---\ndescription: {words}\n---\nDo.")
        while path.stat().st_ctime_ns in before.values():  # a clock that ticks coarsely
            path.write_text(f"---\ndescription: {words}\n---\nDo.")
    elif what == "link":
        path.symlink_to(f"../{words}.md")
    elif what == "folder":
        path.mkdir()
        path.rmdir()
