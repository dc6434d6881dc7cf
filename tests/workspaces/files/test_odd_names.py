"""Names that are no UTF-8 are listed, opened, changed, found and deleted as any other."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from workspaces.domain.commands import Run
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files import name_search, open_files
from workspaces.files.listing import take_listing
from workspaces.files.local import LocalFiles
from workspaces.files.watch import watch
from workspaces.sandboxes import open_sandbox

ODD = {r"Sal\xe9.txt": b"Sal\xe9.txt", r"Sal\x5cxe9.txt": rb"Sal\xe9.txt"}
"""Spellings, and what the kernel calls the files: one looks like the other's spelling."""
FOLDER = r"donn\xe9es"


def put(folder: Path, name: bytes, text: str) -> None:
    (folder / os.fsdecode(name)).write_text(text)


@pytest.fixture
def files(place: Place, workspace: Path) -> LocalFiles:
    below = workspace / os.fsdecode(b"donn\xe9es")
    below.mkdir(mode=0o777)
    for folder in (workspace, below):
        for spelling, name in ODD.items():
            put(folder, name, f"needle of {spelling}\n")
    return LocalFiles(place)


@pytest.mark.parametrize("above", ["", f"{FOLDER}/"])
@pytest.mark.parametrize("spelling", ODD)
def test_each_is_listed_opened_changed_and_deleted(
    files: LocalFiles, home: Path, above: str, spelling: str
) -> None:
    path = f"{above}{spelling}"
    listed = {one.path: one.name for one in files.entries(above)}
    assert listed[path] == spelling
    json.dumps(sorted(listed)).encode()
    opened = files.read(path)
    assert opened == files.read(f"/workspace/{path}")
    assert (opened.path, opened.text) == (path, f"needle of {spelling}\n")
    assert files.read_bytes(path) == opened.text.encode()
    files.write(path, "changed", opened.version)
    assert files.read(path).text == "changed"
    other = next(one for one in ODD if one != spelling)
    assert files.read(f"{above}{other}").text == f"needle of {other}\n"
    assert files.remove(path)
    note = next(home.glob(".local/share/Trash/info/*")).read_text()
    assert ("Sal%E9.txt" in note) == (spelling == r"Sal\xe9.txt")
    assert spelling not in {one.name for one in files.entries(above)}
    with pytest.raises(FileError) as caught:
        files.read(path)
    assert caught.value.code == "not-found"


def test_a_folder_is_filled_emptied_and_deleted(files: LocalFiles, workspace: Path) -> None:
    assert files.create(FOLDER, "new.md") == f"{FOLDER}/new.md"
    assert files.attach("pic.png", [b"x"], FOLDER) == f"{FOLDER}/pic.png"
    files.write(f"{FOLDER}/deep/er.md", "text")
    (workspace / "l").symlink_to(b"donn\xe9es")
    (workspace / "m").symlink_to(os.fsdecode(b"/workspace/donn\xe9es"))
    assert files.read("l/deep/er.md").text == files.read("m/deep/er.md").text == "text"
    assert files.locate("m/deep")[0].path == f"{FOLDER}/deep"
    assert files.remove(FOLDER)
    assert [one.name for one in files.entries("") if one.dir] == []


def test_an_entry_gets_a_name_that_is_free_and_only_in_its_folder(
    files: LocalFiles, workspace: Path
) -> None:
    assert files.rename(f"{FOLDER}/Sal\\xe9.txt", "Salé.txt") == f"{FOLDER}/Salé.txt"
    assert files.rename(FOLDER, "données") == "données"
    assert files.read("données/Salé.txt").text == "needle of Sal\\xe9.txt\n"
    (workspace / "l").symlink_to("données")
    assert files.rename("l", "m") == "m"
    assert (workspace / "m").is_symlink()
    (workspace / ".maia").mkdir(exist_ok=True)
    for path, name, code in (
        ("données", "m", "exists"),
        ("none", "x", "not-found"),
        ("m", "a/b", "invalid-path"),
        ("m", "..", "invalid-path"),
        ("", "x", "denied"),
        ("~/.maia/skills", "x", "denied"),
        (".maia", "x", "kept"),
        ("/etc/passwd", "x", "outside"),
    ):
        with pytest.raises(FileError) as caught:
            files.rename(path, name)
        assert caught.value.code == code, path


def test_what_was_meant_is_told_as_it_is_spelled(files: LocalFiles) -> None:
    with pytest.raises(FileError) as caught:
        files.read("Salé.txt")
    assert caught.value.lookalike == r"Sal\xe9.txt"


def test_errors_hold_no_half_letters(files: LocalFiles) -> None:
    for path in (FOLDER, f"{FOLDER}/none", f"{FOLDER}/Sal\\xe9.txt/x"):
        with pytest.raises(FileError) as caught:
            files.read(path)
        caught.value.message.encode()
    with pytest.raises(FileError) as caught:
        files.write(FOLDER, "x")
    caught.value.message.encode()
    with pytest.raises(FileError) as caught:
        files.read(r"Sal\xe9.txt", max_bytes=1)
    assert r"Sal\xe9.txt" in caught.value.message


@pytest.mark.parametrize("known", [True, False])
async def test_searches_find_them(
    place: Place, files: LocalFiles, known: bool, sandboxed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not known:
        monkeypatch.setattr(name_search, "MAX_SIMPLE", 0)
    agents = open_files(place)
    both = {*ODD, *(f"{FOLDER}/{one}" for one in ODD)}
    for _again in range(2):
        assert {one.path for one in await agents.find("**/*", ".", limit=9)} == both
    found = await agents.find(f"{FOLDER}/Sal\\xe9.txt", ".", limit=9)
    assert [one.path for one in found] == [f"{FOLDER}/Sal\\xe9.txt"]
    for sets in (r"[x\xe8-\xe9]", r"[\xe9]", r"[!\xe8x]"):
        found = await agents.find(f"donn{sets}es/Sal{sets}.txt", ".", limit=9)
        assert [one.path for one in found] == [f"{FOLDER}/Sal\\xe9.txt"], sets
    assert not await agents.find(r"**/Sal[\xe8].txt", ".", limit=9)
    assert not await agents.find(r"**/Sal[!\xe9].txt", ".", limit=9)
    found = await agents.find("*", FOLDER, limit=9)
    assert {one.path for one in found} == {f"{FOLDER}/{one}" for one in ODD}
    (await asyncio.to_thread(files.write, f"{FOLDER}/Sal\\xe9.txt", "newer"))
    assert (await agents.find("**/*", ".", limit=9))[0].path == f"{FOLDER}/Sal\\xe9.txt"
    assert await agents.shown(both) == both


async def test_the_listing_for_completion_spells_them(
    place: Place, files: LocalFiles, sandboxed: None
) -> None:
    listing = await take_listing(place)
    assert {f"{FOLDER}/", f"{FOLDER}/Sal\\xe9.txt", r"Sal\x5cxe9.txt"} < set(listing.paths)


async def test_a_command_begins_in_such_a_folder_and_prints_it_spelled(
    place: Place, files: LocalFiles, sandboxed: None
) -> None:
    command = Run(("bash", "-c", "ls; pwd"), timeout=10, max_output=999, cwd=FOLDER)
    result = await open_sandbox(place).run(command)
    assert result.output.endswith(f"/workspace/{FOLDER}\n")
    assert r"Sal\xe9.txt" in result.output


async def test_a_change_is_told_as_it_is_spelled(
    place: Place, files: LocalFiles, workspace: Path
) -> None:
    told: asyncio.Queue[frozenset[str]] = asyncio.Queue()
    watcher = await watch(place, told.put_nowait)
    try:
        await asyncio.to_thread(files.write, f"{FOLDER}/new", "x")
        async with asyncio.timeout(10):
            assert FOLDER in await told.get()
    finally:
        await watcher.stop()
