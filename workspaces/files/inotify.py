"""Inotify: one descriptor for all watched folders of this process, without following any link."""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
from collections.abc import Callable
from functools import cache

_EVENT = struct.Struct("iIII")
_CREATED, _DELETED, _MODIFIED, _ATTRIBUTES = 0x100, 0x200, 0x2, 0x4
_MOVED_FROM, _MOVED_TO, _CLOSED = 0x40, 0x80, 0x8
_ONLY_FOLDERS, _IS_FOLDER = 0x0100_0000, 0x4000_0000
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_MASK = _CREATED | _DELETED | _MODIFIED | _ATTRIBUTES | _MOVED_FROM | _MOVED_TO | _CLOSED
_APPEARED = _CREATED | _MOVED_TO

OnEvent = Callable[[int, str, bool], None]


class Inotify:
    """Calls `on_event(watch, name, appeared_folder)`; `watch` -1: the kernel lost events."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self._descriptor = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "no inotify")
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._descriptor, self._read)

    def add(self, folder: int) -> int:
        """Watches an open folder and returns the watch's number; raises OSError at the limit.

        The path names the descriptor, so that nobody can put a link in its place.
        """
        path = f"/proc/self/fd/{folder}".encode()
        watch: int = _libc().inotify_add_watch(self._descriptor, path, _MASK | _ONLY_FOLDERS)
        if watch < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return watch

    def remove(self, watch: int) -> None:
        """Ends a watch; one whose folder is gone has ended already."""
        _libc().inotify_rm_watch(self._descriptor, watch)

    def close(self) -> None:
        """Ends all watches."""
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> None:
        try:
            content = os.read(self._descriptor, 65_536)
        except BlockingIOError:
            return
        position = 0
        while position < len(content):
            watch, mask, _cookie, length = _EVENT.unpack_from(content, position)
            position += _EVENT.size
            name = os.fsdecode(content[position : position + length].rstrip(b"\0"))
            position += length
            if mask & _IGNORED:
                continue
            appeared = bool(mask & _IS_FOLDER and mask & _APPEARED)
            self._on_event(-1 if mask & _OVERFLOW else watch, name, appeared)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
