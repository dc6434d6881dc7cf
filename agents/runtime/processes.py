"""Processes: a name for this one, and whether another one of this machine has ended."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from agents.domain.content.leases import ProcessName, parse_host

_STARTED = 19  # the 22nd field of /proc/PID/stat; the first two, pid and name, are cut off


@lru_cache(maxsize=1)
def this_process() -> ProcessName:
    """Returns the name of this process; it holds for as long as the process lives."""
    return ProcessName(_boot(), _namespace(), os.getpid(), _started(os.getpid()) or 0)


def ended(host: str) -> bool:
    """Says whether the process of a host's name is certain to have ended.

    Only one of this very kernel and PID namespace can be looked for. Any other (another machine,
    another container, a name of an earlier release) is trusted until its lease lapses.
    """
    name = parse_host(host)
    here = this_process()
    if name is None or not here.boot or (name.boot, name.namespace) != (here.boot, here.namespace):
        return False
    return _started(name.pid) != name.started


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "0"


def _started(pid: int) -> int | None:
    """Returns when a process began, in ticks since the boot; None if there is none, or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[_STARTED])
