"""Streams: from the model's delta to the browsers' sockets."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from dataclasses import dataclass

from bench.lean_socket import LeanSocket, Recorder
from bench.sides import PEOPLE, Side, cpu_seconds

SECONDS = 90


@dataclass(frozen=True)
class Outcome:
    """One stream, or several at once; times in ms, CPU in us per delivered delta."""

    p50: float
    p95: float
    first: float
    rate: float
    cpu: float
    lost: float


async def play(side: Side, stream: str, *, sockets: int = 1, rooms: int = 1) -> Outcome:
    """Lets `rooms` conversations stream `stream` at once, each to `sockets` sockets."""
    expected = int(stream.rpartition("x")[2])
    people = [number % PEOPLE for number in range(rooms)]
    names = [await side.new_room(person) for person in people]
    joined = [
        await _join_all(side, name, person, sockets)
        for name, person in zip(names, people, strict=True)
    ]
    recorders = [_record(socket, expected) for group in joined for socket in group]
    await asyncio.sleep(0.2)  # what joining caused is over
    cpu, asked = cpu_seconds(side.pid), time.monotonic()
    for name, group in zip(names, joined, strict=True):
        side.ask(group[0], name, stream)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(recorder.done.wait() for recorder in recorders))
    cpu = cpu_seconds(side.pid) - cpu
    for group in joined:
        for socket in group:
            socket.close()
    return _outcome(recorders, expected, asked, cpu)


async def _join_all(side: Side, name: str, person: int, count: int) -> list[LeanSocket]:
    joined: list[LeanSocket] = []
    for start in range(0, count, 20):
        size = min(20, count - start)
        joined += await asyncio.gather(*(side.join(name, person) for _ in range(size)))
    return joined


def _record(socket: LeanSocket, expected: int) -> Recorder:
    recorder = Recorder(expected)
    socket.on_payload = recorder.take
    return recorder


def _outcome(recorders: list[Recorder], expected: int, asked: float, cpu: float) -> Outcome:
    delays = sorted(delay for recorder in recorders for delay in recorder.delays)
    if not delays:
        raise RuntimeError("nothing arrived")
    firsts = [recorder.first - asked for recorder in recorders if recorder.first]
    spans = [max(recorder.last - recorder.first, 1e-6) for recorder in recorders]
    return Outcome(
        p50=statistics.median(delays) * 1000,
        p95=delays[int(len(delays) * 0.95)] * 1000,
        first=statistics.median(firsts) * 1000,
        rate=expected / statistics.median(spans),
        cpu=cpu / len(delays) * 1e6,
        lost=1 - len(delays) / (expected * len(recorders)),
    )
