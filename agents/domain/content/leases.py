"""Leases: the right to run a turn, and the names of those who may hold it (decision 0011)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to run `turn`. Each claim has a higher `number`: whoever holds a lower one lost it.

    Everything a host writes or publishes of a turn carries the number, so that one that was
    frozen and wakes changes nothing.
    """

    turn: str
    number: int


@dataclass(frozen=True, slots=True)
class ProcessName:
    """A process as other processes can look for it.

    `boot`: the running kernel; `namespace`: where `pid` counts; `started`: ticks after the boot,
    so that another process that got the same pid is not taken for it.
    """

    boot: str
    namespace: str
    pid: int
    started: int

    def __str__(self) -> str:
        return f"{self.boot}:{self.namespace}:{self.pid}:{self.started}"


def parse_host(name: str) -> ProcessName | None:
    """Returns the process of a host's name (`process:random`); None for any other name."""
    boot, _, rest = name.partition(":")
    fields = rest.split(":")
    if len(fields) != 4 or not fields[1].isdigit() or not fields[2].isdigit():
        return None
    return ProcessName(boot, fields[0], int(fields[1]), int(fields[2]))
