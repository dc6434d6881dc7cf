"""Recent: the files of a workspace, newest first, kept true between searches by inotify.

Listing and asking each file for its time is most of what a Glob costs; an agent asks again and
again, and little changed meanwhile. What the kernel told since is looked at before each answer.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from bisect import insort
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import methodcaller
from pathlib import Path

from workspaces.domain.entries import FoundFile
from workspaces.domain.spelling import spelled
from workspaces.files.beneath import FOLDER, opened, opened_folder
from workspaces.files.changes import Changes

MOST_FILES = 50_000
MOST_LEFT_OUT = 10_000
MOST_PLACED = 100
MOST_FOLDERS = 20
EVERYTHING = "."
# Writing through a memory map or through another name of the same file is told to nobody.
MOST_SECONDS = 300.0
_IGNORE_FILES = frozenset({".gitignore", ".ignore", ".rgignore"})


class Recent:
    """The files one person finds, with their times (in ns); names are raw. For threads."""

    def __init__(self, folder: Path) -> None:
        """Begins to listen; raises OSError as `Changes`. `fill` comes next."""
        self._folder = folder
        self._changes = Changes(folder)
        self._times: dict[str, int] = {}
        self._newest: list[str] = []
        self._left_out: set[str] = set()
        self._unknown: set[str] = set()
        self._not_listed: set[str] = set()
        self._ends = time.monotonic() + MOST_SECONDS
        self._list_all = False
        self._lock = threading.Lock()  # a cancelled task leaves its thread at work

    def fill(self, times: dict[str, int]) -> bool:
        """Takes the first listing; returns whether it is small enough to be kept."""
        self._times = times
        self._sort()
        return len(times) <= MOST_FILES

    def settle(self) -> bool:
        """Takes in what happened since; returns False if all has to begin again."""
        with self._lock:
            changed = self._changes.collect()
            names = set(changed)
            if self._changes.lost or time.monotonic() > self._ends:
                return False
            self._leave_out(self._not_listed - names)
            if any(name.rpartition("/")[2] in _IGNORE_FILES for name in names):
                self._left_out.clear()
                self._list_all = True
            if asked := names - self._left_out:
                self._look_at(asked)
            return True

    def to_list(self) -> tuple[str, ...]:
        """Returns the folders that hold files it does not know: (".",) for all and below."""
        with self._lock:
            if self._list_all or self._changes.folders:
                return (EVERYTHING,)
            folders = {name.rpartition("/")[0] for name in self._unknown}
            if len(folders) > MOST_FOLDERS or not all(map(self._has_below, folders)):
                return (EVERYTHING,)
            return tuple(folders)

    def relist(self, folders: tuple[str, ...], names: Iterable[str]) -> bool:
        """Takes a new listing of `to_list()`; returns False if all has to begin again."""
        with self._lock:
            listed = set(names)
            new = listed - self._times.keys()
            if folders == (EVERYTHING,):
                self._put(dict.fromkeys(self._times.keys() - listed))
                self._list_all = self._changes.folders = False
            self._put(_mtimes(self._folder, new))
            self._not_listed, self._unknown = self._unknown - listed, set()
            return len(self._times) <= MOST_FILES

    def newest(self, pattern: re.Pattern[str], below: str, limit: int) -> list[FoundFile] | None:
        """Returns the newest that match, paths relative to `below` matched.

        None if it knows no file below that folder: it may be one that `.gitignore` leaves out.
        """
        start = len(below) + 1 if below else 0
        with self._lock:
            names: Iterable[str] = self._newest
            if below:
                names = filter(methodcaller("startswith", f"{below}/"), names)
            matching = (name for name in names if pattern.fullmatch(name, start))
            found = [
                FoundFile(spelled(name), self._times[name]) for name in islice(matching, limit)
            ]
            return found if found or self._has_below(below) else None

    def close(self) -> None:
        """Ends listening."""
        self._changes.close()

    def _has_below(self, folder: str) -> bool:
        return not folder or any(map(methodcaller("startswith", f"{folder}/"), self._newest))

    def _leave_out(self, names: set[str]) -> None:
        """Remembers what exists, untouched since before the listing, and yet was not listed."""
        self._left_out |= names
        self._not_listed = set()
        if len(self._left_out) > MOST_LEFT_OUT:
            self._left_out.clear()

    def _look_at(self, names: set[str]) -> None:
        times = _mtimes(self._folder, names)
        known = names & self._times.keys()
        self._unknown = (self._unknown | times.keys()) - known - (names - times.keys())
        self._put({name: times.get(name) for name in known})

    def _put(self, times: Mapping[str, int | None]) -> None:
        """Gives files these times; None: it is gone."""
        gone = times.keys() & self._times.keys()
        if gone:
            self._newest = [name for name in self._newest if name not in gone]
        for name in gone:
            del self._times[name]
        there = {name: mtime for name, mtime in times.items() if mtime is not None}
        self._times.update(there)
        if len(there) > MOST_PLACED:
            self._sort()
            return
        for name in there:
            insort(self._newest, name, key=self._order)

    def _order(self, name: str) -> tuple[int, str]:
        """Newest first, those of the same time by their names."""
        return -self._times[name], name

    def _sort(self) -> None:
        self._newest = sorted(self._times)
        self._newest.sort(key=self._times.__getitem__, reverse=True)


def _mtimes(folder: Path, names: Iterable[str]) -> dict[str, int]:
    """Returns the times of those that are regular files now, reached through no link."""
    below: dict[str, list[str]] = {}
    for name in names:
        above, _, last = name.rpartition("/")
        below.setdefault(above, []).append(last)
    times: dict[str, int] = {}
    with opened_folder(folder) as root:
        for above, lasts in below.items():
            try:
                with opened(root, above, FOLDER, links=False) as parent:
                    found = _regular(parent, lasts)
            except OSError:  # gone, or a link now
                continue
            times.update((f"{above}/{last}" if above else last, mtime) for last, mtime in found)
    return times


def _regular(parent: int, names: list[str]) -> list[tuple[str, int]]:
    found = []
    for name in names:
        try:
            state = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(state.st_mode):
            found.append((name, state.st_mtime_ns))
    return found
