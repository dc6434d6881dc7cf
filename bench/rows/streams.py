"""Streams beside F: one person's, one that many people see, and many at once."""

from __future__ import annotations

from bench.report import Row
from bench.rows import row
from bench.servers.maia import MaiaSide
from bench.servers.play import Outcome, play
from bench.servers.side import FloorSide, Side


async def stream(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """One person, one stream: paced, as fast as the model can, and written at once."""
    first, delay, cpu = row("b-first"), row("a1-delay"), row("a1-cpu")
    lost = row("a5-lost")
    full = {
        "rate-0x2000": row("a5-2000"),
        "rate-0x20000": row("a5-20000"),
        "burst-20000": row("a5-packet"),
    }
    for _ in range(rounds):
        ours, theirs = [await _alone(side, "rate-50x150") for side in (maia, floor)]
        first.add(ours.first, theirs.first)
        delay.add(ours.p50, theirs.p50)
        cpu.add(ours.cpu, theirs.cpu)  # us a delta are ms a thousand
        for name, speed in full.items():
            ours, theirs = [await _alone(side, name) for side in (maia, floor)]
            speed.add(ours.rate, theirs.rate)
            lost.add(ours.lost)
    return [first, delay, cpu, *full.values(), lost]


async def _alone(side: Side, stream: str) -> Outcome:
    return await play(side, stream, [side.people(1)])


async def fanout(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """One channel, 50 and 500 people, each with a socket."""
    rows = []
    for name, count in (("a2", 50), ("a3", 500)):
        delay, p95, cpu, lost = (row(f"{name}-{what}") for what in ("delay", "p95", "cpu", "lost"))
        crowds = [(side, side.crowd(count)) for side in (maia, floor)]
        for _ in range(rounds):
            ours, theirs = [await play(side, "rate-50x100", [crowd]) for side, crowd in crowds]
            delay.add(ours.p50, theirs.p50)
            p95.add(ours.p95, theirs.p95)
            cpu.add(ours.cpu, theirs.cpu)
            lost.add(ours.lost)
        rows += [delay, p95, cpu, lost]
    return rows


async def many(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """50 people, each with a stream of their own."""
    first, order, delay, cpu = (row(f"a4-{what}") for what in ("first", "order", "delay", "cpu"))
    for _ in range(rounds):
        ours, theirs = [await each_their_own(side) for side in (maia, floor)]
        first.add(ours.first, theirs.first)
        order.add(ours.firsts[0], ours.firsts[-1])
        delay.add(ours.p50, theirs.p50)
        cpu.add(ours.cpu, theirs.cpu)
    return [first, order, delay, cpu]


async def each_their_own(side: Side, count: int = 50) -> Outcome:
    """Lets so many people ask at once, each in a conversation of their own."""
    return await play(side, "rate-50x100", [[person] for person in side.people(count)])
