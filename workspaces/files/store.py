"""WorkspaceFiles: the files of a place for async code (the engine's Files port)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from workspaces.domain.entries import Entry, FileError, FileText, FoundFile
from workspaces.domain.paths import parse_path
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.files import name_search, text_search
from workspaces.files.local import MAX_DOWNLOAD, LocalFiles

CurrentCheck = Callable[[], Awaitable[PathCheck]]


class WorkspaceFiles:
    """The workspace's folder, and `~` for the person's home. Methods raise FileError.

    It is the view of agents: what holds rules or keys is not theirs to write, or even to read.
    `check` gives what judges the files that are really opened, as of now.
    """

    def __init__(self, place: Place, check: CurrentCheck | None = None) -> None:
        self._place = place
        self._check = check
        self.local = LocalFiles(place, for_agent=True)

    def display(self, path: str) -> str:
        """Returns the normalised path without touching the disk."""
        return parse_path(path).display

    async def read(self, path: str, *, max_bytes: int) -> FileText:
        """Reads a text file of at most `max_bytes`."""
        return await asyncio.to_thread((await self._local()).read, path, max_bytes)

    async def read_bytes(self, path: str, *, max_bytes: int = MAX_DOWNLOAD) -> bytes:
        """Reads a regular file of at most `max_bytes`."""
        return await asyncio.to_thread((await self._local()).read_bytes, path, max_bytes)

    async def entries(self, path: str) -> tuple[Entry, ...]:
        """Returns the entries of a folder, folders first, then by name."""
        return await asyncio.to_thread((await self._local()).entries, path)

    async def write(self, path: str, text: str, *, version: str | None = None) -> FileText:
        """Writes atomically; with `version`, only if it still is that one ("": if there is none).

        A write that began is finished even if the caller is cancelled: it is whole or not at all.
        """
        local = await self._local()
        return await asyncio.shield(asyncio.to_thread(local.write, path, text, version))

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        """Returns files below `path` that match the glob, newest first, but those it may not show.

        Their paths begin with where `path` really is.
        """
        local = await self._local()
        where, is_folder = await asyncio.to_thread(local.locate, path)
        if not is_folder:
            raise FileError("not-found", f"{where.display} is not a folder.")
        wanted = limit
        while True:
            found = await name_search.find(self._place, pattern, where, wanted)
            shown = await asyncio.to_thread(local.shown, [one.path for one in found])
            kept = [one for one in found if one.path in shown]
            if len(kept) >= limit or len(found) < wanted:
                return kept[:limit]
            wanted *= 4

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        """Runs ripgrep with `arguments` on where `path` really is and returns its output.

        Whoever shows it asks `shown` first.
        """
        where, _is_folder = await asyncio.to_thread((await self._local()).locate, path)
        return await text_search.search(self._place, arguments, where, max_output)

    async def shown(self, paths: Iterable[str]) -> frozenset[str]:
        """Returns those of the paths that a search found which may be shown."""
        return await asyncio.to_thread((await self._local()).shown, paths)

    async def _local(self) -> LocalFiles:
        if self._check is None:
            return self.local
        return LocalFiles(self._place, for_agent=True, check=await self._check())


def open_files(place: Place, check: CurrentCheck | None = None) -> WorkspaceFiles:
    """Returns the files this person reaches in this workspace, judged by `check`."""
    return WorkspaceFiles(place, check)
