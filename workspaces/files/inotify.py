"""Inotify: one descriptor for all watched folders of this process, without following any link."""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

_EVENT = struct.Struct("iIII")
_CREATED, _DELETED, _MODIFIED, _ATTRIBUTES = 0x100, 0x200, 0x2, 0x4
_MOVED_FROM, _MOVED_TO, _CLOSED = 0x40, 0x80, 0x8
_ONLY_FOLDERS, _IS_FOLDER = 0x0100_0000, 0x4000_0000
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_MASK = _CREATED | _DELETED | _MODIFIED | _ATTRIBUTES | _MOVED_FROM | _MOVED_TO | _CLOSED

OnEvent = Callable[[int, str, bool], None]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to `name` in a watched folder; name "": to the folder itself."""

    watch: int
    mask: int
    name: str

    @property
    def lost(self) -> bool:
        """Whether the kernel had no room for more events."""
        return bool(self.mask & _OVERFLOW)

    @property
    def ended(self) -> bool:
        """Whether the watch is over: its folder is gone."""
        return bool(self.mask & _IGNORED)

    @property
    def is_folder(self) -> bool:
        """Whether `name` is a folder."""
        return bool(self.mask & _IS_FOLDER)

    @property
    def appeared(self) -> bool:
        """Whether `name` is new there."""
        return bool(self.mask & (_CREATED | _MOVED_TO))

    @property
    def moved_away(self) -> bool:
        """Whether `name` has another name or another place now."""
        return bool(self.mask & _MOVED_FROM)


class Events:
    """A queue of events that the kernel fills and its owner reads; raises OSError if none is left.

    The kernel queues an event before the call that caused it returns: who reads the queue knows
    of everything that was done until then.
    """

    def __init__(self) -> None:
        self.descriptor = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "no inotify")
        self._end = weakref.finalize(self, os.close, self.descriptor)

    def add(self, folder: int) -> int:
        """Watches an open folder and returns the watch's number; raises OSError at the limit.

        The path names the descriptor, so that nobody can put a link in its place.
        """
        path = f"/proc/self/fd/{folder}".encode()
        watch: int = _libc().inotify_add_watch(self.descriptor, path, _MASK | _ONLY_FOLDERS)
        if watch < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return watch

    def remove(self, watch: int) -> None:
        """Ends a watch; one whose folder is gone has ended already."""
        _libc().inotify_rm_watch(self.descriptor, watch)

    def read(self) -> Iterator[Event]:
        """Gives some of the waiting events; nothing when none waits."""
        content = b""
        with suppress(BlockingIOError):
            content = os.read(self.descriptor, 65_536)
        position = 0
        while position < len(content):
            watch, mask, _cookie, length = _EVENT.unpack_from(content, position)
            position += _EVENT.size
            name = os.fsdecode(content[position : position + length].rstrip(b"\0"))
            position += length
            yield Event(watch, mask, name)

    def close(self) -> None:
        """Ends all watches."""
        self._end()


class Inotify(Events):
    """Calls `on_event(watch, name, appeared_folder)`; `watch` -1: the kernel lost events."""

    def __init__(self, on_event: OnEvent) -> None:
        super().__init__()
        self._on_event = on_event
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.descriptor, self._tell)

    def close(self) -> None:
        """Ends all watches."""
        self._loop.remove_reader(self.descriptor)
        super().close()

    def _tell(self) -> None:
        for event in self.read():
            if not event.ended:
                appeared = event.is_folder and event.appeared
                self._on_event(-1 if event.lost else event.watch, event.name, appeared)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
