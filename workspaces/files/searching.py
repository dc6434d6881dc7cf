"""Finds files by name and by content: ripgrep in a sandbox that only sees the person's folders."""

from __future__ import annotations

from workspaces.domain.argv import RIPGREP
from workspaces.domain.entries import FileError, FoundFile
from workspaces.domain.globs import linear_glob
from workspaces.domain.paths import Where
from workspaces.domain.places import Place
from workspaces.domain.search_arguments import checked_arguments
from workspaces.sandboxes import open_sandbox

_TIMEOUT = 30.0
_MAX_LISTING = 32_000_000
# List, keep what matches, stat, sort, take the newest: in C, on both cores, and the server itself
# never holds the list. ripgrep's own sorting is single-threaded; a stat in Python costs twice.
_FIND = """
"$1" --no-config --files --null --hidden --no-require-git --no-messages \
  -g '!.git' -g '!node_modules' 2>/dev/null |
"$1" --no-config --null-data --line-regexp --regexp="$2" - 2>/dev/null |
LC_ALL=C xargs -0 -r stat --printf='%.9Y %n/%s\\0' -- 2>/dev/null |
LC_ALL=C sort -S 64M -z -k1,1nr 2>/dev/null | head -z -n "$3"
"""
_SEARCH = (RIPGREP, "--no-config", "--no-require-git", "--no-messages", "--color=never")


async def find(place: Place, pattern: str, where: Where, limit: int) -> list[FoundFile]:
    """Returns the files below `where` that match, newest first, `.gitignore` respected."""
    expression = linear_glob(pattern)
    result = await open_sandbox(place, read_only=True).run(
        ("bash", "-c", _FIND, "find", RIPGREP, expression, str(limit)),
        timeout=_TIMEOUT,
        max_output=_MAX_LISTING,
        cwd=where.inside,
    )
    if result.status != "exited":
        raise _failure(result.status, result.error)
    return [_found(where, row) for row in result.output.split("\0")[:-1]]


def _found(where: Where, row: str) -> FoundFile:
    mtime, _, rest = row.partition(" ")
    path, _, size = rest.rpartition("/")
    full = "/".join(part for part in (where.path, path) if part)
    return FoundFile(Where(where.root, full).display, float(mtime), int(size))


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
    if where.root != "workspace":
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
