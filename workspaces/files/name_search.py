"""Finds files by name, newest first: from what is known of the workspace, else by looking."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from workspaces.domain.argv import RIPGREP
from workspaces.domain.commands import CommandResult, Run
from workspaces.domain.entries import FileError, FoundFile
from workspaces.domain.glob_expressions import compile_glob, linear_glob
from workspaces.domain.paths import Where
from workspaces.domain.places import Place
from workspaces.domain.search_arguments import SEARCHED
from workspaces.domain.spelling import raw, spelled
from workspaces.files.recent import EVERYTHING, MOST_FILES, Recent
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import folders_of

TIMEOUT = 30.0
MOST_KEPT = 8
IDLE_SECONDS = 600.0
MAX_SIMPLE = 500
_MAX_LISTING = 8_000_000
_LIST = (RIPGREP, *SEARCHED, "--files", "--null")
# Everything is done in the person's sandbox, in C and on both cores; ripgrep's own sorting is
# single-threaded, a stat in Python costs twice.
_STAT = "xargs -0 -r stat --printf='%.9Y %n\\0' -- 2>/dev/null"
_LIST_TIMES = f'"$@" 2>/dev/null | head -z -n {MOST_FILES + 1} | LC_ALL=C {_STAT}'
_LIST_NEWEST = f"""
count=$1 expression=$2; shift 2
"$@" 2>/dev/null |
"$1" --no-config --null-data --line-regexp --regexp="$expression" - 2>/dev/null |
LC_ALL=C {_STAT} |
LC_ALL=C sort -S 64M -z -k1,1nr -k2 2>/dev/null | head -z -n "$count"
"""


@dataclass(slots=True)
class _Kept:
    """What is known of one workspace for one person, and the loop whose tasks use it."""

    loop: asyncio.AbstractEventLoop
    used: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    recent: Recent | None = None
    not_before: float = 0.0

    def drop(self) -> None:
        """Forgets the files."""
        if self.recent is not None:
            self.recent.close()
        self.recent = None


_kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()
_guard = threading.Lock()


async def find(place: Place, pattern: str, where: Where, limit: int) -> list[FoundFile]:
    """Returns the files below `where` that match, newest first, `.gitignore` respected."""
    compiled = compile_glob(pattern)
    # A long expression goes to ripgrep alone: it searches in linear time and in another process.
    if where.root == "workspace" and len(compiled.pattern) <= MAX_SIMPLE:
        found = await _find_known(place, compiled, where.path, limit)
        if found is not None:
            return found
    return await find_by_looking(place, linear_glob(pattern), where, limit)


def forget_files() -> None:
    """Forgets everything that is known, for tests and measurements."""
    with _guard:
        for kept in _kept.values():
            kept.drop()
        _kept.clear()


async def _find_known(
    place: Place, pattern: re.Pattern[str], below: str, limit: int
) -> list[FoundFile] | None:
    """Returns None where nothing can be known: too many files, or changes that nobody tells."""
    kept = _kept_for(place)
    if kept is None:
        return None
    async with kept.lock:
        recent = await _settled(place, kept)
        if recent is None:
            return None
        return await asyncio.to_thread(recent.newest, pattern, raw(below), limit)


def _kept_for(place: Place) -> _Kept | None:
    """Returns what is kept for the place, None while another loop uses it."""
    loop, now, key = asyncio.get_running_loop(), time.monotonic(), (place.workspace, place.user)
    with _guard:
        kept = _kept.get(key)
        if kept is not None and kept.loop is not loop:
            if kept.lock.locked():
                return None
            kept.drop()
            kept = None
        kept = _kept[key] = kept or _Kept(loop, now)
        kept.used = now
        _kept.move_to_end(key)
        _make_room(now)
        return kept


def _make_room(now: float) -> None:
    idle = [
        key
        for position, (key, kept) in enumerate(reversed(_kept.items()))
        if (position >= MOST_KEPT or now - kept.used > IDLE_SECONDS) and not kept.lock.locked()
    ]
    for key in idle:
        _kept.pop(key).drop()


async def _settled(place: Place, kept: _Kept) -> Recent | None:
    if kept.recent is not None and not await _is_true(place, kept.recent):
        kept.drop()
    if kept.recent is None and time.monotonic() >= kept.not_before:
        kept.recent = await _begun(place)
        if kept.recent is None:
            kept.not_before = time.monotonic() + IDLE_SECONDS
    return kept.recent


async def _is_true(place: Place, recent: Recent) -> bool:
    """Brings it up to date; returns False if that cannot be done."""
    if not await asyncio.to_thread(recent.settle):
        return False
    folders = await asyncio.to_thread(recent.to_list)
    if not folders:
        return True
    rows = await _output(place, _list(folders), ".")
    names = (row.removeprefix("./") for row in rows or ())
    return rows is not None and await asyncio.to_thread(recent.relist, folders, names)


def _list(folders: tuple[str, ...]) -> tuple[str, ...]:
    if folders == (EVERYTHING,):
        return _LIST
    return (*_LIST, "--max-depth=1", "--", *(f"./{folder}" for folder in folders))


async def _begun(place: Place) -> Recent | None:
    """Listens first, then lists: what happens meanwhile is not missed."""
    folders = await asyncio.to_thread(folders_of, place)
    try:
        recent = await asyncio.to_thread(Recent, folders.workspace)
    except OSError:
        return None
    kept = False
    try:
        rows = await _output(place, ("bash", "-c", _LIST_TIMES, "list", *_LIST), ".")
        kept = rows is not None and await asyncio.to_thread(recent.fill, _times(rows))
    finally:
        if not kept:
            recent.close()
    return recent if kept else None


def _times(rows: list[str]) -> dict[str, int]:
    pairs = (row.split(" ", 1) for row in rows)
    return {path: _nanoseconds(mtime) for mtime, path in pairs}


def _nanoseconds(mtime: str) -> int:
    return int(mtime.replace(".", ""))


async def find_by_looking(
    place: Place, expression: str, where: Where, limit: int
) -> list[FoundFile]:
    """Returns the files of a listing taken now, whose paths match the expression, newest first."""
    argv = ("bash", "-c", _LIST_NEWEST, "find", str(limit), expression, *_LIST)
    rows = await _output(place, argv, where.inside)
    return [_found(row, where) for row in rows or ()]


async def _output(place: Place, argv: tuple[str, ...], cwd: str) -> list[str] | None:
    """Returns the rows of the output, raw; None if there is more than is worth keeping."""
    command = Run(
        argv, timeout=TIMEOUT, max_output=_MAX_LISTING, cwd=cwd, stop_when_full=True, names=True
    )
    result = await open_sandbox(place, read_only=True).run(command)
    if result.status != "exited":
        raise failure(result)
    return None if result.dropped else result.output.split("\0")[:-1]


def _found(row: str, where: Where) -> FoundFile:
    mtime, _, path = row.partition(" ")
    full = "/".join(part for part in (where.path, spelled(path)) if part)
    return FoundFile(Where(where.root, full).display, _nanoseconds(mtime))


def failure(result: CommandResult) -> FileError:
    """Returns why a search gave no answer."""
    if result.status == "timeout":
        return FileError("timeout", f"The search took longer than {TIMEOUT:.0f} s.")
    return FileError("denied", result.error or "The search could not be started.")
