"""Cgroups: where the kernel itself bounds the memory of a sandbox, version 1 and 2.

As root beside or below the server's own group; without root below one that was delegated (systemd's
`Delegate=yes`). Where none can be made the sum is watched instead.
"""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from workspaces.domain.argv import in_cgroup
from workspaces.domain.bounds import MB

_PREFIX = "maia-"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Cgroup:
    """One group: what enters it shares its memory."""

    folder: Path
    version: int

    def entered(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the argv of a process that enters this group first."""
        return in_cgroup(str(self.folder / "cgroup.procs"), argv)

    def kills(self) -> int:
        """Returns how many processes the kernel has ended because the memory was used up."""
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        try:
            lines = (self.folder / name).read_text().splitlines()
        except OSError:
            return 0
        return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))

    def killed(self) -> bool:
        """Returns whether the kernel has ended anything here."""
        return self.kills() > 0


@dataclass(slots=True)
class Cgroups:
    """The group in which those of sandboxes are made."""

    folder: Path
    version: int
    _left: list[Cgroup] = field(default_factory=list)

    def make(self, memory_mb: int) -> Cgroup:
        """Makes a group whose processes hold at most so much memory; raises OSError."""
        left, self._left = self._left, []
        for one in left:
            self.remove(one)
        group = Cgroup(self.folder / f"{_PREFIX}{os.getpid()}-{next(_numbers)}", self.version)
        group.folder.mkdir()
        try:
            self._bound(group, memory_mb * MB)
        except OSError:
            self.remove(group)
            raise
        return group

    def remove(self, group: Cgroup) -> None:
        """Removes a group; one whose last process has not quite ended, later."""
        try:
            group.folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            self._left.append(group)

    def _bound(self, group: Cgroup, most: int) -> None:
        if self.version == 1:
            _write(group.folder / "memory.limit_in_bytes", str(most))
            with suppress(OSError):  # where swap is not counted
                _write(group.folder / "memory.memsw.limit_in_bytes", str(most))
            return
        _write(group.folder / "memory.max", str(most))
        with suppress(OSError):
            _write(group.folder / "memory.swap.max", "0")


def find_cgroups(proc: Path = Path("/proc")) -> Cgroups | None:
    """Returns where groups with bounded memory can be made, None if nowhere."""
    for version, folder in _candidates(proc):
        groups = Cgroups(folder, version)
        try:
            if version == 2:
                _enable(folder)
            groups.remove(groups.make(64))
        except OSError:
            continue
        _forget_dead(groups)
        return groups
    return None


def _candidates(proc: Path) -> list[tuple[int, Path]]:
    """Returns the server's own group, then the top, of each hierarchy that bounds memory."""
    own = _own_groups((proc / "self/cgroup").read_text())
    found: list[tuple[int, Path]] = []
    for line in (proc / "self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, options = after.split()[0], after.split()[-1].split(",")
        root, top = before.split()[3], Path(before.split()[4])
        if kind == "cgroup" and "memory" in options:
            version, path = 1, own.get("memory", "/")
        elif kind == "cgroup2":
            version, path = 2, own.get("", "/")
        else:
            continue
        below = path.removeprefix(root.rstrip("/")).lstrip("/")
        found += [(version, each) for each in dict.fromkeys((top / below, top)) if each.is_dir()]
    return found


def _own_groups(text: str) -> dict[str, str]:
    """Returns the path of the own group by controller; "" is that of version 2."""
    lines = (line.split(":", 2) for line in text.splitlines())
    return {name: path for _number, names, path in lines for name in names.split(",")}


def _enable(folder: Path) -> None:
    """Lets groups below `folder` bound memory; raises OSError where it may not.

    A group with processes cannot have such children: the server moves aside in one that systemd
    delegated to it, and in no other, for that would be another's.
    """
    if "memory" in (folder / "cgroup.subtree_control").read_text().split():
        return
    if "memory" not in (folder / "cgroup.controllers").read_text().split():
        raise FileNotFoundError(folder)
    if _delegated(folder):
        (folder / "maia-server").mkdir(exist_ok=True)
        for pid in (folder / "cgroup.procs").read_text().split():
            _write(folder / "maia-server/cgroup.procs", pid)
    _write(folder / "cgroup.subtree_control", "+memory")


def _delegated(folder: Path) -> bool:
    marks = ("user.delegate", "trusted.delegate")  # systemd sets them for `Delegate=yes`
    for mark in marks:
        with suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return True
    return False


def _forget_dead(groups: Cgroups) -> None:
    """Removes what a server that was killed has left."""
    for folder in groups.folder.glob(f"{_PREFIX}[0-9]*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path(f"/proc/{pid}").exists():
            with suppress(OSError):
                folder.rmdir()


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)  # a file that is not there is no cgroup's
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
