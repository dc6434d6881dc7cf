"""What is made of files is kept while they stay the same, and never beyond."""

from __future__ import annotations

import itertools
import os
import time
from functools import partial
from pathlib import Path

import pytest

from agents.domain.library.problems import LibraryProblem
from agents.library import found, kept
from agents.library.found import library_of
from agents.library.kept import Kept
from maia_web.lib.ids import new_id
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.domain.real_paths import Real
from workspaces.files.local import LocalFiles
from workspaces.files.reads import OpenFile
from workspaces.sandboxes.folders import folders_of

_numbers = itertools.count(710_000 + os.getpid() % 1_000 * 100)
LATER = 3_600_000_000_000


def later() -> int:
    """An hour from now: everything has settled."""
    return time.time_ns() + LATER


def a_place() -> Place:
    number = next(_numbers)
    return Place(new_id(), number, number)


def rewrite(path: Path, text: str) -> None:
    """Writes the file in place, its modification time as before, as its change time goes on."""
    before = path.stat()
    while True:
        path.write_text(text)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = path.stat()
        if after.st_ctime_ns != before.st_ctime_ns:
            break
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


class Reader:
    """Reads a file through one `Kept`, and counts how often something was made of it."""

    def __init__(self, place: Place, kept: Kept) -> None:
        self.files, self.kept, self.made = LocalFiles(place), kept, 0

    def read(self, path: str, what: str = "text") -> str:
        return self.files.use(path, 1000, partial(self.kept.of, what=what, make=self._make))

    def _make(self, content: bytes) -> str:
        self.made += 1
        if content.startswith(b"broken"):
            raise LibraryProblem("broken-header", cause=content.decode())
        return content.decode()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """The library keeps everything at once."""
    fresh = Kept(now=later)
    monkeypatch.setattr(found, "KEPT", fresh)
    return fresh


def write_skill(place: Place, root: str, name: str, words: str) -> Path:
    folders = folders_of(place)
    top = folders.settings if root == "home" else folders.workspace / ".maia"
    path = top / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\ndescription: {words}\n---\nDo.")
    return path


def test_what_did_not_change_is_made_once() -> None:
    place = a_place()
    (folders_of(place).workspace / "a").write_text("one")
    reader = Reader(place, Kept(now=later))
    assert [reader.read("a") for _ in range(3)] == ["one"] * 3
    assert reader.made == 1
    assert reader.read("a", "something else") == "one"
    assert reader.made == 2


def test_a_change_of_the_same_size_is_seen_though_its_time_was_set_back(settled: Kept) -> None:
    place = a_place()
    path = write_skill(place, "workspace", "s", "first")
    assert [one.description for one in library_of(place).skills] == ["first"]
    assert [one.description for one in library_of(place).skills] == ["first"]
    rewrite(path, path.read_text().replace("first", "other"))
    assert [one.description for one in library_of(place).skills] == ["other"]


def test_another_file_in_its_place_is_seen(settled: Kept) -> None:
    place = a_place()
    path = write_skill(place, "workspace", "s", "first")
    assert [one.description for one in library_of(place).skills] == ["first"]
    beside = path.with_name("beside")
    beside.write_text(path.read_text().replace("first", "other"))
    before = path.stat()
    os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
    beside.replace(path)
    assert [one.description for one in library_of(place).skills] == ["other"]


def test_a_file_is_never_found_under_another_persons_name(settled: Kept) -> None:
    alice, bob = a_place(), a_place()
    hers = write_skill(alice, "home", "s", "of alice")
    assert [one.description for one in library_of(alice).skills] == ["of alice"]
    assert library_of(bob).skills == ()
    his = write_skill(bob, "home", "s", "of bobby")
    os.utime(his, ns=(hers.stat().st_atime_ns, hers.stat().st_mtime_ns))
    assert [one.description for one in library_of(bob).skills] == ["of bobby"]
    assert [one.description for one in library_of(alice).skills] == ["of alice"]
    his.unlink()
    assert library_of(bob).skills == ()


def test_what_is_kept_is_kept_by_path_whatever_file_it_is() -> None:
    """One file with two names, in the homes of two people: each has a value of their own."""
    alice, bob = a_place(), a_place()
    (folders_of(alice).home / "a").write_text("one")
    os.link(folders_of(alice).home / "a", folders_of(bob).home / "a")
    both = Kept(now=later)
    readers = Reader(alice, both), Reader(bob, both)
    assert [one.read("~/a") for one in readers * 2] == ["one"] * 4
    assert [one.made for one in readers] == [1, 1]


def test_who_may_not_open_a_file_gets_nothing_of_what_is_kept(settled: Kept) -> None:
    class Refusing:
        hides_any = True

        def reaches(self, folder: str) -> bool:
            return True

        def hides(self, real: Real) -> bool:
            return True

        def opened(self, named: str, real: Real, *, reads: bool) -> None:
            if named.endswith("SKILL.md"):
                raise FileError("rule", "Read(**)")

    place = a_place()
    write_skill(place, "workspace", "s", "first")
    assert len(library_of(place).skills) == 1
    refused = library_of(place, Refusing())
    assert refused.skills == ()
    assert [one.problem.code for one in refused.warnings] == ["unreadable"]


def test_what_changed_a_moment_ago_is_not_kept() -> None:
    """Within a tick of the clock two contents have one change time."""
    place = a_place()
    (folders_of(place).workspace / "a").write_text("one")
    changed = (folders_of(place).workspace / "a").stat().st_ctime_ns
    for now in (changed, changed + kept.SETTLED_NS, changed - LATER):
        reader = Reader(place, Kept(now=partial(int, now)))
        assert [reader.read("a") for _ in range(2)] == ["one"] * 2
        assert reader.made == 2


def test_a_broken_file_is_read_once_and_says_each_time_what_is_wrong() -> None:
    place = a_place()
    (folders_of(place).workspace / "a").write_text("broken {x}")
    reader = Reader(place, Kept(now=later))
    told = set()
    for _ in range(3):
        with pytest.raises(LibraryProblem) as caught:
            reader.read("a")
        told.add((id(caught.value), caught.value.sentence("en")))
    assert reader.made == 1
    assert {words for _id, words in told} == {"its YAML header is broken (broken {x})"}


def test_no_more_is_kept_than_fits() -> None:
    place = a_place()
    many = [f"f{number}" for number in range(20)]
    for name in many:
        (folders_of(place).workspace / name).write_text(name)
    room = Kept(10 * kept.LEAST_BYTES, now=later)
    reader = Reader(place, room)
    for name in many:
        reader.read(name)
        reader.read(many[0])  # asked for all the time, it stays
    assert reader.made == 20
    assert len(room) == 10
    reader.read(many[0])
    assert reader.made == 20
    reader.read(many[1])
    assert reader.made == 21
    (folders_of(place).workspace / "large").write_text("x" * 999)
    small = Kept(500, now=later)
    assert Reader(place, small).read("large") == "x" * 999
    assert len(small) == 0


def test_a_file_that_changes_while_it_is_read_is_read_again() -> None:
    """The stamp is of before the reading: what is read then may be newer, never older."""
    place = a_place()
    path = folders_of(place).workspace / "a"
    path.write_text("one")
    reader = Reader(place, Kept(now=later))

    def use(file: OpenFile) -> str:
        rewrite(path, "two")
        return reader.kept.of(file, "text", bytes.decode)

    assert reader.files.use("a", 1000, use) == "two"
    assert reader.read("a") == "two"
    rewrite(path, "six")
    assert reader.read("a") == "six"
