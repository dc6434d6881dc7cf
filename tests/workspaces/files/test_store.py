"""The files of a place: homes, versions, owners, the trash, search and its limits."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from workspaces.domain.commands import Run
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.files.local import LocalFiles
from workspaces.files.writes import write_lock
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import folders_of


async def test_text_is_read_and_written_with_versions(place: Place) -> None:
    files = open_files(place)
    written = await files.write("a/b.txt", "é\r\n")
    assert written == await files.read("./a/b.txt", max_bytes=100)
    same = await files.write("a/b.txt", "é\r\n", version=written.version)
    assert same.version == written.version
    with pytest.raises(FileError, match="changed"):
        await files.write("a/b.txt", "x", version="")
    with pytest.raises(FileError) as caught:
        await files.read("a/b.txt", max_bytes=3)
    assert caught.value.code == "too-large"


async def test_the_home_is_reached_by_its_tilde_and_by_nobody_else(
    place: Place, home: Path
) -> None:
    files = open_files(place)
    await files.write("~/here/notes", "mine")
    assert (home / "here" / "notes").read_text() == "mine"
    assert [one.path for one in await files.entries("~/here")] == ["~/here/notes"]
    other = open_files(replace(place, user=place.user + 1))
    with pytest.raises(FileError) as caught:
        await other.read("~/here/notes", max_bytes=100)
    assert caught.value.code == "not-found"
    with pytest.raises(FileError):
        await files.read("~/../1/here/notes", max_bytes=100)


def test_one_of_two_writers_with_the_same_version_wins(place: Place) -> None:
    files = LocalFiles(place)
    version = files.write("f", "0").version
    answers: list[str] = []
    barrier = threading.Barrier(4)

    def write(text: str) -> None:
        barrier.wait()
        try:
            files.write("f", text, version)
            answers.append(text)
        except FileError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=write, args=(text,)) for text in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count("conflict") == 3
    winner = next(answer for answer in answers if answer != "conflict")
    assert files.read("f").text == winner


def test_a_lock_is_given_back_after_a_failure(place: Place, workspace: Path) -> None:
    files = LocalFiles(place)
    with pytest.raises(FileError):
        files.write("missing/../..", "x")
    with write_lock(workspace):
        pass
    files.write("f", "x")


@pytest.mark.usefixtures("sandboxed")
async def test_what_the_server_writes_the_person_can_change_and_the_other_way_round(
    place: Place,
) -> None:
    files, sandbox = open_files(place), open_sandbox(place)
    await files.write("deep/er/f", "server\n")
    script = "echo mine >> deep/er/f; mkdir -p made; echo x > made/g; chmod 600 made/g"
    other = open_sandbox(replace(place, user=place.user + 1))
    for box in (sandbox, other):
        result = await box.run(Run(("bash", "-c", script), timeout=20, max_output=1_000))
        if box is sandbox:
            assert (result.output, result.exit_code) == ("", 0)
    assert (await files.read("deep/er/f", max_bytes=100)).text == "server\nmine\nmine\n"
    assert (await files.read("made/g", max_bytes=100)).text == "x\n"
    await files.write("made/g", "y\n")
    state = (folders_of(place).workspace / "made" / "g").stat()
    assert stat.S_IMODE(state.st_mode) == 0o600
    if os.geteuid() == 0:
        assert state.st_uid == 200_000 + place.user


def test_what_is_removed_waits_in_the_trash_of_who_removed_it(place: Place, home: Path) -> None:
    files = LocalFiles(place)
    for text in ("one", "two"):
        files.write("d/f", text)
        assert files.remove("d/f") is True
    trash = home / ".local/share/Trash"
    assert (trash / "files" / "f").read_text() == "one"
    assert (trash / "files" / "f.2").read_text() == "two"
    assert "Path=d/f\n" in (trash / "info" / "f.2.trashinfo").read_text()
    assert files.remove("~/.local/share/Trash/files/f") is False
    assert not (trash / "files" / "f").exists()


def test_a_trash_that_leads_elsewhere_is_not_used(place: Place, home: Path, tmp_path: Path) -> None:
    (home / ".local").symlink_to(tmp_path)
    files = LocalFiles(place)
    files.write("f", "x")
    assert files.remove("f") is False
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileError):
        files.read("f")


def test_an_interrupted_write_leaves_the_old_file(place: Place, workspace: Path) -> None:
    files = LocalFiles(place)
    files.write("f", "old")

    def chunks() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("the power is out")

    with pytest.raises(RuntimeError):
        files.attach("f", chunks(), folder=".")
    assert sorted(one.name for one in workspace.iterdir()) == ["f"]
    assert files.read("f").text == "old"


@pytest.mark.usefixtures("sandboxed")
class TestFinding:
    async def test_newest_first_and_limited(self, place: Place, workspace: Path) -> None:
        files = open_files(place)
        for number in range(6):
            await files.write(f"d{number % 2}/f{number}.txt", "x")
            os.utime(workspace / f"d{number % 2}" / f"f{number}.txt", (number, number))
        found = await files.find("**/*.txt", "", limit=3)
        assert [one.path for one in found] == ["d1/f5.txt", "d0/f4.txt", "d1/f3.txt"]
        assert found[0].mtime == 5_000_000_000

    async def test_in_the_home(self, place: Place) -> None:
        files = open_files(place)
        await files.write("~/notes/a.md", "needle")
        assert [one.path for one in await files.find("*.md", "~/notes", limit=9)] == [
            "~/notes/a.md"
        ]
        assert await files.search(("-l", "-e", "needle"), "~/notes", max_output=1_000) == (
            "/home/agent/notes/a.md\n"
        )

    async def test_odd_names_pass(self, place: Place) -> None:
        files = open_files(place)
        for name in ("a b", "-x", "é\u2028", "$(id)"):
            await files.write(f"./{name}", "needle")
        found = {one.path for one in await files.find("*", "", limit=9)}
        assert found == {"a b", "-x", "é\u2028", "$(id)"}
        assert "needle" in await files.search(("-e", "needle"), "-x", max_output=1_000)

    async def test_search_is_capped_and_refuses_other_programs(self, place: Place) -> None:
        files = open_files(place)
        await files.write("big", "needle\n" * 100_000)
        output = await files.search(("-n", "-e", "needle"), "", max_output=1_000)
        assert len(output) == 1_000
        with pytest.raises(FileError):
            await files.search(("--pre", "sh", "-e", "x"), "", max_output=1_000)

    async def test_a_link_exchanged_meanwhile_leads_only_into_the_sandbox(
        self, place: Place, workspace: Path
    ) -> None:
        files = open_files(place)
        await files.write("f", "x")
        (workspace / "l").symlink_to("/etc/shadow")
        assert await files.search(("--hidden", "-e", "root"), "", max_output=1_000) == ""

    async def test_a_cancelled_search_leaves_nothing_running(self, place: Place) -> None:
        task = asyncio.create_task(open_files(place).search(("-e", "x"), "", max_output=10))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def test_no_file_is_saved_below_the_floor(place: Place, settings: Settings) -> None:
    files = LocalFiles(place)
    files.write("old.txt", "old")
    settings.FREE_MB = 1_000_000_000
    for save in (lambda: files.write("old.txt", "new"), lambda: files.attach("new.txt", [b"new"])):
        with pytest.raises(FileError) as refused:
            save()
        assert refused.value.code == "no-space"
    settings.FREE_MB = 0
    assert files.read("old.txt").text == "old"
    assert not [one.name for one in files.entries("") if one.name.startswith(".")]
