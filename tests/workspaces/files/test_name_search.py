"""Finding files by name: what is known stays what a new listing would find."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from workspaces.domain.entries import FoundFile
from workspaces.domain.glob_expressions import linear_glob
from workspaces.domain.paths import parse_path
from workspaces.domain.places import Place
from workspaces.files import changes, name_search, open_files, recent
from workspaces.files.changes import Changes
from workspaces.files.name_search import find, find_by_looking
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.usefixtures("sandboxed")
MOST = 1_000


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    name_search.forget_files()
    yield
    name_search.forget_files()


async def both(place: Place, pattern: str = "**", path: str = ".") -> list[str]:
    """Finds twice, with what is known and by a new listing, and returns what both agree on."""
    where = parse_path(path)
    known: list[FoundFile] = await find(place, pattern, where, MOST)
    assert known == await find_by_looking(place, linear_glob(pattern), where, MOST)
    return [file.path for file in known]


def known_of(place: Place) -> recent.Recent | None:
    return name_search._kept[place.workspace, place.user].recent


def fill(workspace: Path) -> None:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "out/x.py", "src/keep/d.log"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("x")
    (workspace / ".gitignore").write_text("out/\n*.log\n")


def edit(folder: Path) -> None:
    (folder / "a.py").write_text("y")
    os.utime(folder / "src/b.py", (2e9, 2e9))


def make_and_remove(folder: Path) -> None:
    (folder / "src/new.py").write_text("new")
    (folder / "new.log").write_text("left out")
    (folder / "a.py").unlink()


def save_atomically(folder: Path) -> None:
    (folder / "src/.b.py~").write_text("saved")
    (folder / "src/.b.py~").rename(folder / "src/b.py")


def make_folders(folder: Path) -> None:
    (folder / "p/q/r").mkdir(parents=True)
    (folder / "p/q/r/s.py").write_text("s")
    (folder / "node_modules/x").mkdir(parents=True)
    (folder / "node_modules/x/y.js").write_text("never")


def move_folders(folder: Path) -> None:
    (folder / "src").rename(folder / "lib")
    (folder / "out").rename(folder / "src")


def remove_folders(folder: Path) -> None:
    (folder / "src/deep/c.py").unlink()
    (folder / "src/deep").rmdir()


def change_the_rules(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.py\n")
    (folder / "src/.ignore").write_text("!b.py\n")


def put_links(folder: Path) -> None:
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to("src/b.py")
    (folder / "there").symlink_to("/etc")


def give_odd_names(folder: Path) -> None:
    for name in ("-x", "a b\n", "é\u2028", "--files"):
        (folder / name).write_text("odd")


def write_too_much(folder: Path) -> None:
    for number in range(17_000):  # more than the kernel remembers
        descriptor = os.open(folder / f"src/{number % 2}.tmp", os.O_WRONLY | os.O_CREAT)
        os.close(descriptor)


@pytest.mark.parametrize(
    "change",
    [
        edit,
        make_and_remove,
        save_atomically,
        make_folders,
        move_folders,
        remove_folders,
        change_the_rules,
        put_links,
        give_odd_names,
        write_too_much,
    ],
)
async def test_every_change_is_seen_at_once(
    place: Place, workspace: Path, change: Callable[[Path], None]
) -> None:
    fill(workspace)
    before = await both(place)
    assert known_of(place) is not None
    change(workspace)
    changed = await both(place)
    assert changed != before
    assert await both(place) == changed


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_what_is_known_is_what_is_there(
    place: Place, workspace: Path, seed: int
) -> None:
    chosen = random.Random(seed)
    names = [f"{above}{name}" for above in ("", "d/", "d/e/", "f/") for name in "xyz"]
    names += [".gitignore", "d/.gitignore"]

    def anything() -> None:
        one, two = workspace / chosen.choice(names), workspace / chosen.choice(names)
        action = chosen.randrange(6)
        if action == 0:
            one.unlink()
        elif action == 1:
            one.rename(two)
        elif action == 2:
            one.parent.rename(workspace / chosen.choice("fgd"))
        else:
            one.parent.mkdir(parents=True, exist_ok=True)
            one.write_text(chosen.choice(["x\n", "/d\n", "y\n!x\n", ""]))

    for _ in range(8):
        for _ in range(chosen.randrange(3)):
            with suppress(OSError):
                anything()
        await both(place)
        await both(place, "*", "d") if (workspace / "d").is_dir() else None


async def test_nothing_is_listed_again_while_nothing_changes(place: Place, workspace: Path) -> None:
    fill(workspace)
    await both(place)
    known = known_of(place)
    edit(workspace)
    save_atomically(workspace)
    await both(place)
    assert known_of(place) is known
    (workspace / "new.log").write_text("left out")
    await both(place)
    await both(place)
    (workspace / "new.log").write_text("and again")
    assert known is not None
    assert known.settle()
    assert known.to_list() == ()
    (workspace / "src/new.py").write_text("new")
    assert known.settle()
    assert known.to_list() == ("src",)


async def test_a_folder_below_is_searched_and_one_that_is_left_out_too(
    place: Place, workspace: Path
) -> None:
    fill(workspace)
    assert await both(place, "*.py", "src") == ["src/b.py"]
    assert await both(place, "**/*.py", "src") == ["src/deep/c.py", "src/b.py"]
    assert await both(place, "*.py", "out") == ["out/x.py"]
    assert await both(place, "*.rs", "src") == []
    (folders_of(place).home / "notes.py").write_text("x")
    assert await both(place, "*.py", "~") == ["~/notes.py"]


async def test_one_person_does_not_find_what_another_may_not_list(
    place: Place, workspace: Path
) -> None:
    fill(workspace)
    if os.geteuid() != 0:
        pytest.skip("all members are one user of this machine")
    other = replace(place, user=place.user + 1)
    os.chown(workspace / "src/deep", 200_000 + place.user, -1)
    (workspace / "src/deep").chmod(0o700)
    assert "src/deep/c.py" in await both(place)
    assert "src/deep/c.py" not in await both(other)
    (workspace / "src/deep").chmod(0o755)
    assert "src/deep/c.py" in await both(other)


async def test_the_settings_of_ones_own_git_leave_nothing_out(
    place: Place, workspace: Path, home: Path
) -> None:
    fill(workspace)
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("a.py\n")
    (workspace / ".git/info").mkdir(parents=True)
    (workspace / ".git/info/exclude").write_text("b.py\n")
    assert {"a.py", "src/b.py"} <= set(await both(place))
    listed = await open_files(place).search(("-l", "-e", "x"), ".", max_output=1_000)
    assert {"a.py", "src/b.py"} <= set(listed.split())


@pytest.mark.parametrize("name", ["[", "{a", "a[z-a]", "\\"])
async def test_a_broken_gitignore_is_no_file_that_is_found(
    place: Place, workspace: Path, name: str
) -> None:
    fill(workspace)
    assert await both(place, "**/*.py")
    (workspace / ".gitignore").write_text(f"{name}\n")
    assert set(await both(place, "**/*.py")) >= {"a.py", "src/b.py"}


@pytest.mark.parametrize("limit", ["folders", "files"])
async def test_too_much_to_be_known_is_looked_at_each_time(
    place: Place, workspace: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    fill(workspace)
    if limit == "folders":
        monkeypatch.setattr(changes, "MOST_FOLDERS", 3)
    else:
        monkeypatch.setattr(recent, "MOST_FILES", 3)
    assert len(await both(place, "**/*.py")) == 3
    assert known_of(place) is None
    edit(workspace)
    assert (await both(place, "**/*.py"))[0] == "src/b.py"


async def test_a_workspace_that_grows_too_large_is_not_known_any_more(
    place: Place, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace)
    monkeypatch.setattr(changes, "MOST_FOLDERS", 8)
    await both(place)
    assert known_of(place) is not None
    (workspace / "1/2/3/4/5/6").mkdir(parents=True)
    (workspace / "1/2/3/4/5/6/f").write_text("")
    assert "1/2/3/4/5/6/f" in await both(place)
    assert known_of(place) is None


async def test_only_so_many_workspaces_are_known(place: Place, workspace: Path) -> None:
    for number in range(name_search.MOST_KEPT + 2):
        await find(replace(place, user=place.user + number), "*", parse_path("."), MOST)
    assert len(name_search._kept) == name_search.MOST_KEPT
    assert (place.workspace, place.user) not in name_search._kept


async def test_all_is_looked_at_again_after_some_minutes(
    place: Place, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "MOST_SECONDS", 0.0)
    fill(workspace)
    await both(place)
    first = known_of(place)
    await both(place)
    assert known_of(place) is not first


async def test_a_name_that_is_no_utf8_is_found_as_any(place: Place, workspace: Path) -> None:
    async def names() -> list[str]:
        return [file.path for file in await find(place, "*.py", parse_path("."), MOST)]

    fill(workspace)
    odd = workspace / os.fsdecode(b"caf\xe9.py")
    assert await names() == ["a.py"]
    odd.write_text("odd")
    assert await names() == [r"caf\xe9.py", "a.py"]
    (workspace / "a.py").write_text("newer")
    assert await names() == ["a.py", r"caf\xe9.py"]
    odd.unlink()
    assert await names() == ["a.py"]


def test_a_file_system_that_others_write_to_is_not_trusted() -> None:
    with pytest.raises(OSError, match="not supported"):
        Changes(Path("/proc/self"))


async def test_searches_at_once_share_what_is_known(place: Place, workspace: Path) -> None:
    fill(workspace)
    asked = [find(place, pattern, parse_path("."), MOST) for pattern in ("**/*.py", "*.py") * 4]
    found = await asyncio.gather(*asked)
    assert [len(files) for files in found] == [3, 1] * 4
    known = known_of(place)
    edit(workspace)
    (workspace / "src/new.py").write_text("new")
    again = await asyncio.gather(*(find(place, "**/*.py", parse_path("."), MOST) for _ in range(4)))
    assert {file.path for file in again[0]} == {"a.py", "src/b.py", "src/deep/c.py", "src/new.py"}
    assert all(files == again[0] for files in again)
    assert known_of(place) is known


async def test_a_search_that_is_stopped_leaves_nothing_wrong(place: Place, workspace: Path) -> None:
    fill(workspace)
    for _ in range(3):
        task = asyncio.create_task(find(place, "**", parse_path("."), MOST))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        edit(workspace)
        await both(place)
        make_and_remove(workspace)
        fill(workspace)


async def test_another_loop_begins_anew(place: Place, workspace: Path) -> None:
    fill(workspace)
    await both(place)
    edit(workspace)
    elsewhere = await asyncio.to_thread(lambda: asyncio.run(both(place, "**/*.py")))
    assert elsewhere[0] == "src/b.py"
    assert (await both(place, "**/*.py")) == elsewhere
