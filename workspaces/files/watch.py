"""Watch: which folders of a workspace have changed, told half a second after the last change.

Own code on inotify: watchfiles (notify) follows links while it walks, so that a link to `/` in a
workspace would make the server watch the whole machine; and it watches `.git` and `node_modules`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from workspaces.domain.places import Place
from workspaces.domain.spelling import spelled
from workspaces.files.beneath import opened, opened_folder
from workspaces.files.inotify import Inotify
from workspaces.sandboxes.folders import folders_of

QUIET = 0.5
AT_MOST = 3.0
MOST_FOLDERS = 5_000
SKIPPED = frozenset({".git", "node_modules"})

OnChange = Callable[[frozenset[str]], None]


class Watcher:
    """One listener of a watched workspace."""

    def __init__(self, watched: _Watched, on_change: OnChange) -> None:
        self._watched = watched
        self.on_change = on_change

    async def stop(self) -> None:
        """Ends it; the last listener takes the watch of the workspace with it."""
        self._watched.leave(self)


class _Watched:
    """A workspace with its watches, shared by all its listeners."""

    def __init__(self, place: Place, folder: Path) -> None:
        self._key = place.workspace
        self._folder = folder
        self._loop = asyncio.get_running_loop()
        self._inotify = Inotify(self._happened)
        self._paths: dict[int, str] = {}
        self._listeners: list[Watcher] = []
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._first = 0.0

    async def start(self) -> None:
        """Watches every folder there is."""
        await asyncio.to_thread(self._add_below, "")

    def join(self, on_change: OnChange) -> Watcher:
        watcher = Watcher(self, on_change)
        self._listeners.append(watcher)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        if watcher in self._listeners:
            self._listeners.remove(watcher)
        if not self._listeners and _watched.get(self._key) is self:
            del _watched[self._key]
            self.close()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._inotify.close()

    @property
    def here(self) -> bool:
        """Whether it belongs to the loop that runs now."""
        return self._loop is asyncio.get_running_loop()

    def _add_below(self, path: str) -> None:
        """Watches a folder and all below it; new ones beyond the limit go unnoticed."""
        waiting = [path]
        with opened_folder(self._folder) as root:
            while waiting and len(self._paths) < MOST_FOLDERS:
                current = waiting.pop()
                try:
                    waiting += self._add(root, current)
                except OSError:  # gone meanwhile, a link now, or the system's limit
                    continue

    def _add(self, root: int, path: str) -> list[str]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        with opened(root, path, flags, links=False) as folder:
            self._paths[self._inotify.add(folder)] = path
            with os.scandir(folder) as entries:
                return [
                    f"{path}/{entry.name}" if path else entry.name
                    for entry in entries
                    if entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False)
                ]

    def _happened(self, watch: int, name: str, appeared_folder: bool) -> None:
        path = self._paths.get(watch) if watch >= 0 else ""
        if path is None:  # a folder that is gone
            return
        self._changed.add(spelled(path))
        if appeared_folder and name not in SKIPPED:
            self._add_below(f"{path}/{name}" if path else name)
        self._wait()

    def _wait(self) -> None:
        now = self._loop.time()
        if self._timer is None:
            self._first = now
        else:
            self._timer.cancel()
        when = min(now + QUIET, self._first + AT_MOST)
        self._timer = self._loop.call_at(max(when, now), self._tell)

    def _tell(self) -> None:
        self._timer = None
        changed, self._changed = frozenset(self._changed), set()
        for watcher in tuple(self._listeners):
            watcher.on_change(changed)


_watched: dict[str, _Watched] = {}


async def watch(place: Place, on_change: OnChange) -> Watcher:
    """Calls `on_change` with the folders that changed ("" is the workspace), until stopped.

    Half a second after the last change, but at least every three seconds (seed S).
    """
    known = _watched.get(place.workspace)
    if known is not None and known.here:
        return known.join(on_change)
    folders = await asyncio.to_thread(folders_of, place)
    new = _Watched(place, folders.workspace)
    watcher = new.join(on_change)
    _watched[place.workspace] = new
    try:
        await new.start()
    except BaseException:
        await watcher.stop()
        raise
    return watcher
