"""Sockets that come back: 150 at once beside 150 that open, and beside a stream; and what opens.

A conversation opens when its snapshot has arrived whole. Who opens does it one after the other,
who comes back does it with all others, as after a restart.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from bench.clocks import at_rest, cpu_seconds
from bench.report import Row
from bench.rows import row
from bench.servers.lean_socket import LeanSocket
from bench.servers.maia import Frame, MaiaSide, said
from bench.servers.play import Outcome, play
from bench.servers.side import FloorSide, Person

PEOPLE = 50
SOCKETS = 150
MESSAGES = 100
LARGE, SMALL = 5_000_000, 50_000
EACH = 5
STREAM = "rate-50x150"


@dataclass
class Tab:
    """A person's tab on one conversation, and how far it is."""

    maia: MaiaSide
    person: Person
    channel: str
    seq: int = -1
    socket: LeanSocket | None = None

    async def open(self) -> None:
        """Connects, and subscribes as far as it is; returns once the answer is there."""
        self.socket = await self.maia.connect(self.person)
        far = {"seq": self.seq} if self.seq >= 0 else {}
        answer = await said(
            self.socket, self._ends, type="channel:subscribe", channel=self.channel, **far
        )
        assert answer["type"] == "ack", answer
        assert self.seq >= 0

    def _ends(self, frame: Frame) -> bool:
        if frame["type"] in ("channel:snapshot", "channel:current"):
            self.seq = frame["seq"]
        return frame["type"] in ("ack", "error")

    def lose(self) -> None:
        """The network is away."""
        assert self.socket is not None
        self.socket.close()


async def reconnects(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """All of it beside MAIA itself."""
    size, cpu, last = row("m1-size"), row("m2-cpu"), row("m2-last")
    delay = row("m3-delay")
    people = maia.people(PEOPLE)
    mine = (people[0].id, people[0].workspace, MESSAGES)
    wanted = [(*mine, LARGE // MESSAGES), (*mine, SMALL // MESSAGES)]
    wanted += [(one.id, one.workspace, MESSAGES, 240) for one in people]
    large, small, *channels = maia.made("bench.made.conversations:long", wanted)
    whose = [number % PEOPLE for number in range(SOCKETS)]
    tabs = [Tab(maia, people[number], channels[number]) for number in whose]
    for channel in (large, small):
        await _opening(maia, people[0], channel)
    for _ in range(rounds):
        for _ in range(EACH):
            slow = await _opening(maia, people[0], large)
            size.add(slow, await _opening(maia, people[0], small))
        for tab in tabs:
            tab.seq = -1
        opened = await _measured(maia, [[tab] for tab in tabs])
        back = await _measured(maia, [tabs], lose=True)
        cpu.add(back[0], opened[0])
        last.add(back[1], opened[1])
        alone, begun = await _stream(maia), asyncio.Event()
        beside, _ = await asyncio.gather(_stream(maia, begun), _come_back(tabs, begun))
        delay.add(beside.p50, alone.p50)
        for tab in tabs:
            tab.lose()
    return [size, cpu, last, delay]


async def _stream(maia: MaiaSide, begun: asyncio.Event | None = None) -> Outcome:
    return await play(maia, STREAM, [maia.people(1)], begun)


async def _opening(maia: MaiaSide, person: Person, channel: str) -> float:
    tab = Tab(maia, person, channel)
    began = time.perf_counter()
    await tab.open()
    took = (time.perf_counter() - began) * 1000
    tab.lose()
    return took


async def _measured(
    maia: MaiaSide, groups: list[list[Tab]], *, lose: bool = False
) -> tuple[float, float]:
    """Returns CPU and time, in seconds, of the tabs of each group at once, group after group."""
    if lose:
        for tab in groups[0]:
            tab.lose()
    await at_rest(maia.pids)  # what was begun before is over
    cpu, began = cpu_seconds(maia.pids), time.perf_counter()
    for group in groups:
        await asyncio.gather(*(tab.open() for tab in group))
    took = time.perf_counter() - began
    await at_rest(maia.pids)  # the lists of conversations come last, and count
    return cpu_seconds(maia.pids) - cpu, took


async def _come_back(tabs: list[Tab], begun: asyncio.Event) -> None:
    await begun.wait()
    for tab in tabs:
        tab.lose()
    await asyncio.gather(*(tab.open() for tab in tabs))
