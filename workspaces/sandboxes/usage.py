"""What a process and everything it started use, as /proc tells it."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_WRAPPERS = frozenset({"bwrap", "setsid"})


def children(pid: int) -> list[int]:
    """Returns the processes that this one started and that still run."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, _read(f"{thread}/children").split())
    except OSError:  # it ends
        pass
    return found


def tree(root: int) -> list[int]:
    """Returns a process and everything below it."""
    found = [root]
    for pid in found:
        found += children(pid)
    return found


def shell_below(root: int) -> int:
    """Returns the shell of a terminal; `root` is the process outside its sandbox."""
    shell = root
    while _name(shell) in _WRAPPERS and len(below := children(shell)) == 1:
        shell = below[0]
    return shell


def resident(pids: list[int]) -> int:
    """Returns the bytes of memory these processes hold; what they share counts for each."""
    return sum(_resident(pid) for pid in pids)


def proportional(pids: list[int]) -> int:
    """Returns the bytes of memory these processes hold; what they share counts once."""
    return sum(_proportional(pid) for pid in pids)


def written(pids: list[int]) -> int:
    """Returns the bytes these processes, and those of theirs that have ended, wrote to disks."""
    return sum(_written(pid) for pid in pids)


def _resident(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if len(fields) > 1 else 0


def _proportional(pid: int) -> int:
    kilobytes = _field(f"/proc/{pid}/smaps_rollup", "Pss:")
    return _resident(pid) if kilobytes is None else kilobytes * 1024


def _written(pid: int) -> int:
    return _field(f"/proc/{pid}/io", "write_bytes:") or 0


def _name(pid: int) -> str:
    return _read(f"/proc/{pid}/comm").strip()


def _field(path: str, name: str) -> int | None:
    for line in _read(path).splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:  # it has ended, or is not ours to look at
        return ""
