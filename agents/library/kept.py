"""Kept: a cache of what was made of files; an entry holds for as long as its file is unchanged."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from agents.domain.library.problems import LibraryProblem
from workspaces.files.reads import OpenFile, Stamp

T = TypeVar("T")

MOST_BYTES = 32 * 1024 * 1024
"""Of the files whose values are kept, in a process; what was not asked for longest goes first."""
LEAST_BYTES = 1024
"""What a value counts for at least, however small its file is."""
SETTLED_NS = 2_000_000_000
"""Two changes can have one change time, as the clock of a file system ticks coarsely: what is made
of a file that changed a moment ago is not kept."""

_Key = tuple[Stamp, Hashable]


@dataclass(frozen=True, slots=True)
class _Made:
    """A value, or code and values of the problem there was: it is not read again either."""

    value: Any
    problem: tuple[str, dict[str, object]] | None = None


class Kept:
    """Values made of files, by path, device, inode, size and change time; of use to all threads.

    A file is opened, and whoever opens it judged, before a value is looked up.
    What a program writes through a mapping into a page that is dirty already changes no time: it is
    seen with the file's next change. What calls are judged by is therefore never kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, now: Callable[[], int] = time.time_ns) -> None:
        self._most = most_bytes
        self._now = now
        self._lock = Lock()
        self._made: OrderedDict[_Key, _Made] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """How many values are kept."""
        return len(self._made)

    def of(self, file: OpenFile, what: Hashable, make: Callable[[bytes], T]) -> T:
        """Returns what `make` makes of the file's content; `what` stands for `make`.

        Raises `LibraryProblem` where `make` does, OSError and FileError as reading does.
        """
        key = (file.stamp, what)
        with self._lock:
            made = self._made.get(key)
            if made is not None:
                self._made.move_to_end(key)
        if made is None:
            made = _made(make, file.content())
            if self._now() - file.stamp.changed_ns > SETTLED_NS:
                self._keep(key, made)
        if made.problem is not None:
            code, values = made.problem
            raise LibraryProblem(code, **values)
        value: T = made.value
        return value

    def _keep(self, key: _Key, made: _Made) -> None:
        with self._lock:
            if key not in self._made:
                self._bytes += _weight(key)
            self._made[key] = made
            while self._bytes > self._most:
                oldest, _value = self._made.popitem(last=False)
                self._bytes -= _weight(oldest)


def _made(make: Callable[[bytes], Any], content: bytes) -> _Made:
    try:
        return _Made(make(content))
    except LibraryProblem as problem:
        return _Made(None, (problem.code, problem.values))


def _weight(key: _Key) -> int:
    return max(key[0].size, LEAST_BYTES)


KEPT = Kept()
"""The values of this process."""
