"""The workspace: the files one person reaches in it (its sandbox is the workspaces' own)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from workspaces.domain.entries import FileText, FoundFile


class Files(Protocol):
    """The files one person reaches in one workspace: its folder, and `~` for their home."""

    def display(self, path: str) -> str:
        """Returns the normalised path, relative to the workspace or beginning with `~/`.

        Raises `FileError` ("outside", "invalid-path") without touching the disk.
        """
        ...

    async def read(self, path: str, *, max_bytes: int) -> FileText:
        """Reads a UTF-8 text file; raises `FileError`."""
        ...

    async def write(self, path: str, text: str, *, version: str | None = None) -> FileText:
        """Writes atomically, making parent folders; with `version`, only if it still is that one.

        `version` "" means: only if the file does not exist.
        """
        ...

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        """Files below `path` that match the glob, newest first, `.gitignore` respected."""
        ...

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        """Runs ripgrep with `arguments` on `path`, which it puts last, and returns its output.

        "" where nothing is found. Raises `FileError`: "invalid-pattern" with ripgrep's own words
        when it refuses the arguments.
        """
        ...

    async def shown(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths a search found which the rules let it show."""
        ...
