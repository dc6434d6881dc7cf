"""While somebody exchanges folders and links in a loop, no operation ever gets outside."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files import beneath
from workspaces.files.beneath import open_beneath, opened_folder, walk_beneath
from workspaces.files.local import LocalFiles

_ROUNDS = 1_500
_RENAME_EXCHANGE = 2


@contextmanager
def exchanging(workspace: Path) -> Iterator[None]:
    """Exchanges the folder `d` and the link `l` (to the secret folder) as fast as it can."""
    libc = ctypes.CDLL(None, use_errno=True)
    stop = threading.Event()
    one, two = (str(workspace / name).encode() for name in ("d", "l"))

    def loop() -> None:
        while not stop.is_set():
            libc.renameat2(-100, one, -100, two, _RENAME_EXCHANGE)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def rounds(seen: Collection[object], wanted: object) -> Iterator[int]:
    """Counts enough rounds, and on until the folder was met as itself: the machine may be busy."""
    for number in count():
        if number >= _ROUNDS and wanted in seen:
            return
        yield number


@pytest.fixture
def scene(workspace: Path, tmp_path: Path) -> Path:
    (tmp_path / "f").write_text("SECRET")
    (workspace / "d").mkdir(mode=0o777)
    (workspace / "d" / "f").write_text("open")
    (workspace / "l").symlink_to(tmp_path)
    return tmp_path


def test_reading_never_gets_out(place: Place, workspace: Path, scene: Path) -> None:
    files = LocalFiles(place)
    seen: set[str] = set()
    with exchanging(workspace):
        for _round in rounds(seen, "open"):
            try:
                seen.add(files.read("d/f").text)
            except FileError as error:
                seen.add(error.code)
    assert "SECRET" not in seen


def test_writing_never_gets_out(place: Place, workspace: Path, scene: Path) -> None:
    files = LocalFiles(place)
    with exchanging(workspace):
        for number in range(300):
            try:
                files.write(f"d/new{number % 7}", "mine")
                files.write(f"d/sub{number % 7}/deep", "mine")
                files.create("d", f"c{number}")
            except FileError:
                pass
    assert [one.name for one in scene.iterdir()] == ["f"]


def test_deleting_and_listing_never_get_out(place: Place, workspace: Path, scene: Path) -> None:
    files = LocalFiles(place)
    with exchanging(workspace):
        for _round in range(300):
            try:
                files.remove("d/f")
                assert {one.name for one in files.entries("d")} <= {"f"}
                files.write("d/f", "open")
            except FileError:
                pass
    assert (scene / "f").read_text() == "SECRET"


def test_without_openat2_the_walk_never_gets_out(workspace: Path, scene: Path) -> None:
    seen: set[bytes | int | None] = set()
    with opened_folder(workspace) as root, exchanging(workspace):
        for _round in rounds(seen, b"open"):
            try:
                descriptor = walk_beneath(root, "d/f", os.O_RDONLY)
            except OSError as error:
                seen.add(error.errno)
                continue
            seen.add(os.read(descriptor, 10))
            os.close(descriptor)
    assert b"SECRET" not in seen


@pytest.mark.parametrize("path", ["a/f", "./a//f", "a", "", "x", "link", "a/up/f", "../x", "a/.."])
def test_both_roads_agree_where_there_is_no_link(
    workspace: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a").mkdir(mode=0o777)
    (workspace / "a" / "f").write_text("x")
    (workspace / "link").symlink_to("a/f")
    (workspace / "a" / "up").symlink_to("..")
    answers: list[str | int] = []
    for known in (True, False):
        monkeypatch.setattr(beneath, "has_openat2", lambda known=known: known)
        with opened_folder(workspace) as root:
            try:
                descriptor = open_beneath(root, path, os.O_RDONLY, links=False)
            except OSError:
                answers.append("refused")
            else:
                answers.append(os.fstat(descriptor).st_ino)
                os.close(descriptor)
    if path != "a/..":  # the walk refuses what openat2 resolves: nothing asks for it
        assert answers[0] == answers[1]


def test_every_kernel_we_run_on_has_openat2_or_the_walk(workspace: Path) -> None:
    (workspace / "f").write_text("x")
    with opened_folder(workspace) as root:
        os.close(walk_beneath(root, "f", os.O_RDONLY))
        os.close(open_beneath(root, "f", os.O_RDONLY))
