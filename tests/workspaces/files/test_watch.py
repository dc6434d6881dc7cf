"""Watch: which folders changed, half a second after the last change, without following links."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workspaces.domain.places import Place
from workspaces.files.watch import watch


class Heard:
    """Collects what a watcher tells."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[frozenset[str]] = asyncio.Queue()

    def __call__(self, folders: frozenset[str]) -> None:
        self._queue.put_nowait(folders)

    async def next(self) -> frozenset[str]:
        async with asyncio.timeout(10):
            return await self._queue.get()

    @property
    def silent(self) -> bool:
        return self._queue.empty()


@pytest.fixture
async def heard(place: Place) -> AsyncIterator[Heard]:
    made = Heard()
    watcher = await watch(place, made)
    yield made
    await watcher.stop()


async def test_a_burst_of_changes_is_told_once(heard: Heard, workspace: Path) -> None:
    for number in range(50):
        (workspace / f"f{number}").write_text("x")
    (workspace / "d").mkdir(mode=0o777)
    (workspace / "d" / "g").write_text("x")
    assert await heard.next() >= {""}
    (workspace / "d" / "g").write_text("y")
    assert await heard.next() == {"d"}
    assert heard.silent


async def test_new_and_moved_folders_are_followed(heard: Heard, workspace: Path) -> None:
    (workspace / "a" / "b").mkdir(parents=True)
    await heard.next()
    (workspace / "a").rename(workspace / "c")
    await heard.next()
    (workspace / "c" / "b" / "f").write_text("x")
    assert await heard.next() == {"c/b"}
    (workspace / "c" / "b" / "f").unlink()
    assert await heard.next() == {"c/b"}


async def test_what_nobody_wants_to_hear_of_and_links_are_not_followed(
    place: Place, workspace: Path, tmp_path: Path
) -> None:
    for name in (".git", "node_modules"):
        (workspace / name / "x").mkdir(parents=True)
    (workspace / "link").symlink_to(tmp_path)
    heard = Heard()
    watcher = await watch(place, heard)
    (tmp_path / "f").write_text("x")
    (workspace / ".git" / "x" / "f").write_text("x")
    (workspace / "node_modules" / "f").write_text("x")
    (workspace / "own").write_text("x")
    assert await heard.next() == {""}
    assert heard.silent
    await watcher.stop()


async def test_listeners_share_one_watch_and_leave_alone(place: Place, workspace: Path) -> None:
    one, two = Heard(), Heard()
    first, second = await watch(place, one), await watch(place, two)
    (workspace / "f").write_text("x")
    assert await one.next() == await two.next() == {""}
    await first.stop()
    (workspace / "f").write_text("y")
    assert await two.next() == {""}
    assert one.silent
    await second.stop()
    await second.stop()
