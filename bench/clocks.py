"""What a process has used: CPU of all of it or of one thread, memory; and when it is at rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

QUIET_SHARE = 0.05
QUIET_LOOKS = 3
LOOK_SECONDS = 0.1
MOST_LOOKS = 600


def cpu_seconds(pids: Iterable[int]) -> float:
    """Returns user and system time of processes, those of ended threads included."""
    return sum(time.clock_gettime(_clock_of(pid)) for pid in pids)


def _clock_of(pid: int) -> int:
    """The CPU clock of another process, as clock_getcpuclockid(3) makes it: nanoseconds."""
    return (~pid << 3) | 2


def thread_seconds(pid: int, name: str) -> float:
    """Returns the CPU time of the threads whose names begin so. Raises LookupError."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it ended just now
            if (task / "comm").read_text().startswith(name):
                found.append(int((task / "schedstat").read_text().split()[0]) / 1e9)
    if not found:
        raise LookupError(f"process {pid} has no thread {name!r}")
    return sum(found)


def pss_kib(pid: int) -> int:
    """Returns the proportional set size of a process."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise LookupError("no Pss")


async def at_rest(pids: Iterable[int]) -> None:
    """Returns when these processes have nothing left to do.

    That is when they used next to no CPU for a while. Raises TimeoutError after a minute.
    """
    which, quiet = tuple(pids), 0
    before = cpu_seconds(which)
    for _ in range(MOST_LOOKS):
        began = time.monotonic()
        await asyncio.sleep(LOOK_SECONDS)
        now = cpu_seconds(which)
        is_quiet = now - before < QUIET_SHARE * (time.monotonic() - began)
        quiet, before = (quiet + 1) * is_quiet, now
        if quiet >= QUIET_LOOKS:
            return
    raise TimeoutError("still busy after a minute")
