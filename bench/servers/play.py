"""Streams: from the model's delta to the browsers' sockets."""

from __future__ import annotations

import asyncio
import contextlib
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.clocks import at_rest, cpu_seconds
from bench.servers.lean_socket import LeanSocket, Recorder
from bench.servers.side import Person, Side

SECONDS = 90
AT_ONCE = 20

Group = Sequence[Person]
"""The people who look at one conversation; the first of them asks."""


@dataclass(frozen=True)
class Outcome:
    """One stream, or several at once; times in ms, CPU in us per delivered delta.

    `firsts`: from asking to each person's first delta, shortest first. `rate`: deltas a second,
    counted from the asking.
    """

    p50: float
    p95: float
    firsts: tuple[float, ...]
    rate: float
    cpu: float
    lost: int

    @property
    def first(self) -> float:
        """The median of the first deltas."""
        return statistics.median(self.firsts)


async def play(
    side: Side, stream: str, groups: Sequence[Group], begun: asyncio.Event | None = None
) -> Outcome:
    """Lets a conversation of each group stream `stream` at once, to one socket a person.

    `begun` is set when all have been asked for.
    """
    expected = deltas_of(stream)
    rooms = [await side.new_room(group[0]) for group in groups]
    joined = [await _join_all(side, room, group) for room, group in zip(rooms, groups, strict=True)]
    recorders = [_record(socket, expected) for group in joined for socket in group]
    await at_rest(side.pids)  # what joining caused is over
    cpu, asked = cpu_seconds(side.pids), time.monotonic()
    for room, group in zip(rooms, joined, strict=True):
        side.ask(group[0], room, stream)
    if begun is not None:
        begun.set()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(recorder.done.wait() for recorder in recorders))
    cpu = cpu_seconds(side.pids) - cpu
    for group in joined:
        for socket in group:
            socket.close()
    return outcome(recorders, expected, asked, cpu)


def deltas_of(stream: str) -> int:
    """Returns how many deltas a stream has: `rate-50x150`, `burst-20000`."""
    found = re.search(r"(\d+)$", stream)
    if found is None:
        raise ValueError(stream)
    return int(found[1])


def outcome(recorders: Sequence[Recorder], expected: int, asked: float, cpu: float) -> Outcome:
    """Returns what the sockets recorded of streams asked for at `asked` (monotonic)."""
    delays = sorted(delay for recorder in recorders for delay in recorder.delays)
    if not delays:
        raise RuntimeError("nothing arrived")
    arrived = [recorder for recorder in recorders if recorder.delays]
    took = statistics.median(recorder.last - asked for recorder in arrived)
    return Outcome(
        p50=statistics.median(delays) * 1000,
        p95=delays[int(len(delays) * 0.95)] * 1000,
        firsts=tuple(sorted((recorder.first - asked) * 1000 for recorder in arrived)),
        rate=expected / took,
        cpu=cpu / len(delays) * 1e6,
        lost=expected * len(recorders) - len(delays),
    )


async def _join_all(side: Side, room: str, group: Group) -> list[LeanSocket]:
    joined: list[LeanSocket] = []
    for start in range(0, len(group), AT_ONCE):
        some = group[start : start + AT_ONCE]
        joined += await asyncio.gather(*(side.join(room, person) for person in some))
    return joined


def _record(socket: LeanSocket, expected: int) -> Recorder:
    recorder = Recorder(expected)
    socket.on_payload = recorder.take
    return recorder
