"""Watchdog: ends what uses more than it may. Where there is a cgroup, the kernel bounds memory."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from maia_web.lib import free_space
from workspaces.domain.bounds import MB, Limits, Reached
from workspaces.sandboxes import usage
from workspaces.sandboxes.cgroups import Cgroup, Cgroups

log = logging.getLogger(__name__)
ROUND = 0.25


def limits() -> Limits:
    """Returns what commands may use on this site."""
    return Limits(settings.COMMAND_MEMORY_MB, settings.COMMAND_WRITE_MB, settings.FREE_MB)


def no_room(disk: Path) -> bool:
    """Returns whether so little space is left on this disk that nothing may be written."""
    return bool(free_space.shortage(disk))


def make_group(cgroups: Cgroups | None) -> Cgroup | None:
    """Makes a group for one sandbox; None where the sum of its memory is to be watched."""
    if cgroups is None:
        return None
    try:
        return cgroups.make(settings.COMMAND_MEMORY_MB)
    except OSError as error:
        log.warning("no cgroup for a sandbox, its memory is watched: %s", error)
        return None


def remove_group(cgroups: Cgroups | None, group: Cgroup | None) -> None:
    """Removes the group of a sandbox that has ended."""
    if cgroups is not None and group is not None:
        cgroups.remove(group)


class _Floor:
    """Counts what somebody writes while too little space is left; `most` bytes are let pass."""

    def __init__(self, disk: Path, most: int) -> None:
        self._disk = disk
        self._most = most
        self._before: int | None = None

    def too_much(self, written: int) -> bool:
        """Returns whether too much was written there; `written`: all since the beginning."""
        if not no_room(self._disk):
            self._before = None
            return False
        if self._before is None:
            self._before = written
        return written - self._before > self._most


class Watch:
    """Looks at one tree of processes, a command or a job of a terminal, again and again."""

    def __init__(self, disk: Path, group: Cgroup | None = None) -> None:
        self._disk = disk
        self._group = group
        self._limits = limits()
        self._floor = _Floor(disk, MB)  # deleting writes a little too

    def look(self, root: int) -> Reached | None:
        """Returns the bound that the tree below `root` has reached."""
        pids = usage.tree(root)
        if self._too_much_memory(pids):
            return self._reached_memory()
        written = usage.written(pids)
        if written > self._limits.written * MB:
            return Reached("written", self._limits.written)
        if self._floor.too_much(written):
            return Reached("disk", self._limits.free)
        return None

    def at_end(self) -> Reached | None:
        """Returns the bound by which the kernel ended something, after all has ended."""
        return self._reached_memory() if self._group is not None and self._group.killed() else None

    async def until_reached(self, root: int) -> Reached:
        """Returns the first bound that the tree below `root` reaches; waits for ever if none."""
        while True:
            await asyncio.sleep(ROUND)
            reached = await asyncio.to_thread(self.look, root)
            if reached is not None:
                return reached

    def _reached_memory(self) -> Reached:
        return Reached("memory", self._limits.memory)

    def _too_much_memory(self, pids: list[int]) -> bool:
        if self._group is not None:
            return self._group.killed()
        most = self._limits.memory * MB
        return usage.resident(pids) > most and usage.proportional(pids) > most


class JobWatch:
    """Looks at the jobs of a terminal: each is a command of its own, their memory counts together.

    What the shell itself wrote counts only where too little space is left, with what its ended jobs
    wrote there: the kernel does not tell them apart.
    """

    def __init__(self, disk: Path, group: Cgroup | None = None) -> None:
        self._disk = disk
        self._group = group
        self._limits = limits()
        self._watches: dict[int, Watch] = {}
        self._shell = _Floor(disk, 64 * MB)
        self._killed = 0

    async def run(self, root: int, told: Callable[[Reached], None]) -> None:
        """Ends jobs that reach a bound and tells it, until it is cancelled."""
        while True:
            await asyncio.sleep(ROUND)
            for reached in await asyncio.to_thread(self.round, root):
                told(reached)

    def round(self, root: int) -> list[Reached]:
        """Ends the jobs that have reached a bound now; returns which bounds."""
        shell = usage.shell_below(root)
        if self._shell.too_much(usage.written([shell])):
            _kill(root)
            return [Reached("disk", self._limits.free)]
        jobs = usage.children(shell)
        self._watches = {job: self._watches.get(job) or Watch(self._disk) for job in jobs}
        found = self._memory(root, jobs)
        for job, watch in self._watches.items():
            reached = watch.look(job)
            if reached is not None:
                _kill(job)
                found.append(reached)
        return found

    def _memory(self, root: int, jobs: list[int]) -> list[Reached]:
        reached = [Reached("memory", self._limits.memory)]
        if self._group is not None:
            before, self._killed = self._killed, self._group.kills()
            return reached if self._killed > before else []
        pids = usage.tree(root)
        most = self._limits.memory * MB
        if not jobs or usage.resident(pids) <= most or usage.proportional(pids) <= most:
            return []
        largest = max(jobs, key=lambda job: usage.resident(usage.tree(job)))
        if self._watches.pop(largest).look(largest) is None:
            _kill(largest)
            return reached
        self._watches[largest] = Watch(self._disk)
        return []


def _kill(root: int) -> None:
    for pid in usage.tree(root):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
