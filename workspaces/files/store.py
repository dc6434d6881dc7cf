"""WorkspaceFiles: the files of a place for async code (the engine's Files port)."""

from __future__ import annotations

import asyncio

from workspaces.domain.entries import Entry, FileError, FileText, FoundFile
from workspaces.domain.paths import parse_path
from workspaces.domain.places import Place
from workspaces.files import finding, searching
from workspaces.files.local import MAX_DOWNLOAD, LocalFiles


class WorkspaceFiles:
    """The workspace's folder, and `~` for the person's home. Methods raise FileError.

    It is the view of agents: what holds rules or keys is not theirs to write, or even to read.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self.local = LocalFiles(place, for_agent=True)

    def display(self, path: str) -> str:
        """Returns the normalised path without touching the disk."""
        return parse_path(path).display

    async def read(self, path: str, *, max_bytes: int) -> FileText:
        """Reads a UTF-8 text file of at most `max_bytes`."""
        return await asyncio.to_thread(self.local.read, path, max_bytes)

    async def read_bytes(self, path: str, *, max_bytes: int = MAX_DOWNLOAD) -> bytes:
        """Reads a regular file of at most `max_bytes`."""
        return await asyncio.to_thread(self.local.read_bytes, path, max_bytes)

    async def entries(self, path: str) -> tuple[Entry, ...]:
        """Returns the entries of a folder, folders first, then by name."""
        return await asyncio.to_thread(self.local.entries, path)

    async def write(self, path: str, text: str, *, version: str | None = None) -> FileText:
        """Writes atomically; with `version`, only if it still is that one ("": if there is none).

        A write that began is finished even if the caller is cancelled: it is whole or not at all.
        """
        return await asyncio.shield(asyncio.to_thread(self.local.write, path, text, version))

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        """Returns files below `path` that match the glob, newest first."""
        where, is_folder = await asyncio.to_thread(self.local.locate, path)
        if not is_folder:
            raise FileError("not-found", f"{where.display} is not a folder.")
        return await finding.find(self._place, pattern, where, limit)

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        """Runs ripgrep with `arguments` on `path` and returns its output."""
        where, _is_folder = await asyncio.to_thread(self.local.locate, path)
        return await searching.search(self._place, arguments, where, max_output)


def open_files(place: Place) -> WorkspaceFiles:
    """Returns the files this person reaches in this workspace."""
    return WorkspaceFiles(place)
