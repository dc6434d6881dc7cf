"""The names of a workspace, kept while somebody types."""

from __future__ import annotations

import itertools
import os
import threading
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync

from maia_web.lib.ids import new_id
from workspaces.domain.places import Place
from workspaces.files.listing import MOST_KEPT, Listing, listing_of
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

_numbers = itertools.count(600_000 + os.getpid() % 1_000 * 100)


@pytest.fixture
def place() -> Place:
    found = async_to_sync(probed)()
    if found.bwrap is None:
        pytest.skip(found.problem)
    number = next(_numbers)
    return Place(new_id(), number, number)


@pytest.fixture
def folder(place: Place) -> Path:
    return folders_of(place).workspace


def wait_for_refresh() -> None:
    for thread in threading.enumerate():
        if thread.name == "listing":
            thread.join(10)


def test_files_and_folders_without_what_git_ignores(place: Place, folder: Path) -> None:
    (folder / "src/Deep").mkdir(parents=True)
    (folder / "src/Deep/é.py").write_text("")
    (folder / ".hidden").write_text("")
    for name in (".git", "node_modules", "out"):
        (folder / name).mkdir()
        (folder / name / "x").write_text("")
    (folder / ".gitignore").write_text("out/\n")

    found = listing_of(place)
    assert set(found.paths) == {"src/", "src/Deep/", "src/Deep/é.py", ".hidden", ".gitignore"}
    assert "src/deep/é.py" in found.folded


def test_an_old_listing_is_given_once_more_and_then_a_new_one(place: Place, folder: Path) -> None:
    assert listing_of(place, fresh_for=0) == Listing((), ())
    (folder / "late.txt").write_text("")

    assert listing_of(place, fresh_for=60).paths == ()
    assert listing_of(place, fresh_for=0).paths == ()
    wait_for_refresh()
    assert listing_of(place, fresh_for=60).paths == ("late.txt",)


def test_two_people_never_share_a_listing(place: Place, folder: Path) -> None:
    listing_of(place)
    (folder / "late.txt").write_text("")
    other = Place(place.workspace, place.workspace_number, next(_numbers))

    assert listing_of(other, fresh_for=60).paths == ("late.txt",)
    assert listing_of(place, fresh_for=60).paths == ()


def test_only_so_many_are_kept(place: Place, folder: Path) -> None:
    listing_of(place)
    (folder / "late.txt").write_text("")
    for _ in range(MOST_KEPT):
        number = next(_numbers)
        listing_of(Place(new_id(), number, number))

    assert listing_of(place, fresh_for=60).paths == ("late.txt",)
