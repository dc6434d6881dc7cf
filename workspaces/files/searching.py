"""Finds files by name and by content: ripgrep in a sandbox that only sees the person's folders."""

from __future__ import annotations

import asyncio
import heapq
import os
import re
import stat
from contextlib import suppress

from workspaces.domain.argv import RIPGREP
from workspaces.domain.entries import FileError, FoundFile
from workspaces.domain.globs import compile_glob
from workspaces.domain.paths import Where
from workspaces.domain.places import Place
from workspaces.domain.search_arguments import checked_arguments
from workspaces.files.beneath import FOLDER, opened, opened_folder
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import folders_of

_TIMEOUT = 30.0
_MAX_LISTING = 32_000_000
_LIST = (
    RIPGREP,
    "--no-config",
    "--files",
    "--null",
    "--hidden",
    "--no-require-git",
    "--no-messages",
)
_SEARCH = (RIPGREP, "--no-config", "--no-require-git", "--no-messages", "--color=never")
_SKIP = ("-g", "!.git", "-g", "!node_modules")


async def find(place: Place, pattern: str, where: Where, limit: int) -> list[FoundFile]:
    """Returns the files below `where` that match, newest first, `.gitignore` respected.

    ripgrep lists unsorted and we sort: its own sorting is five times slower (single-threaded).
    """
    compiled = compile_glob(pattern)
    result = await open_sandbox(place, read_only=True).run(
        (*_LIST, *_SKIP), timeout=_TIMEOUT, max_output=_MAX_LISTING, cwd=where.inside
    )
    if result.status != "exited":
        raise _failure(result.status, result.error)
    return await asyncio.to_thread(_newest, place, where, result.output, compiled, limit)


def _newest(
    place: Place, where: Where, listing: str, compiled: re.Pattern[str], limit: int
) -> list[FoundFile]:
    folders = folders_of(place)
    by_folder: dict[str, list[str]] = {}
    for path in filter(compiled.fullmatch, listing.split("\0")):
        folder, _, name = path.rpartition("/")
        by_folder.setdefault(folder, []).append(name)
    found: list[tuple[float, str, int]] = []
    with opened_folder(folders.home if where.root == "home" else folders.workspace) as root:
        for folder, names in by_folder.items():
            full = "/".join(part for part in (where.path, folder) if part)
            found += _stat_all(root, full, names)
    newest = heapq.nsmallest(limit, found)  # plain tuples: a value per file would cost more
    return [FoundFile(Where(where.root, path).display, -age, size) for age, path, size in newest]


def _stat_all(root: int, folder: str, names: list[str]) -> list[tuple[float, str, int]]:
    """Returns (minus mtime, path, size) of the regular files among the names."""
    found: list[tuple[float, str, int]] = []
    prefix = f"{folder}/" if folder else ""
    with suppress(OSError), opened(root, folder, FOLDER) as descriptor:
        for name in names:
            try:
                state = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:  # gone since it was listed
                continue
            if stat.S_ISREG(state.st_mode):
                found.append((-state.st_mtime, prefix + name, state.st_size))
    return found


async def search(place: Place, arguments: tuple[str, ...], where: Where, max_output: int) -> str:
    """Returns ripgrep's output for `arguments` on `where`; paths are relative to the workspace."""
    argv = (
        *_SEARCH,
        *checked_arguments(arguments),
        *_target(where),
    )
    result = await open_sandbox(place, read_only=True).run(
        argv, timeout=_TIMEOUT, max_output=max_output, stop_when_full=True
    )
    if result.status != "exited":
        raise _failure(result.status, result.error)
    if result.exit_code == 2 and not result.dropped and _only_errors(result.output):
        raise FileError("invalid-pattern", result.output.strip()[:2_000])
    return result.output


def _target(where: Where) -> tuple[str, ...]:
    if where.root == "home":
        return (where.inside,)
    if not where.path:
        return ()
    return (f"./{where.path}" if where.path.startswith("-") else where.path,)


def _only_errors(output: str) -> bool:
    return output.startswith(("rg: ", "regex parse error", "error: ", "ripgrep: "))


def _failure(status: str, error: str) -> FileError:
    if status == "timeout":
        return FileError("timeout", f"The search took longer than {_TIMEOUT:.0f} s.")
    return FileError("denied", error or "The search could not be started.")
