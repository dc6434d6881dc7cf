"""Sockets that come back: 150 at once beside 150 that open, and beside a stream; and what opens.

A conversation opens when its snapshot has arrived whole. Who opens does it one after the other,
who comes back does it with all others, as after a restart.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

from bench.lean_socket import LeanSocket, connect
from bench.long_conversation import make
from bench.report import Row
from bench.sides import PEOPLE, FloorSide, MaiaSide, cpu_seconds
from bench.streams import play

SOCKETS = 150
MESSAGES = 100
LARGE, SMALL = 5_000_000, 50_000
EACH = 5


@dataclass
class Tab:
    """A person's tab on one conversation, and how far it is."""

    maia: MaiaSide
    person: int
    channel: str
    seq: int = -1
    socket: LeanSocket | None = None

    async def open(self) -> None:
        """Connects, and subscribes as far as it is; returns once the answer is there."""
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        pieces: list[str] = []

        def take(payload: bytes) -> None:
            told = json.loads(payload)
            for frame in told if isinstance(told, list) else [told]:
                self._take(frame, pieces, answered)

        self.socket = await connect(self.maia.server.port, "/ws", self.maia.cookie(self.person))
        self.socket.on_payload = take
        far = {"seq": self.seq} if self.seq >= 0 else {}
        command = {"type": "channel:subscribe", "clientRef": "s", "channel": self.channel, **far}
        self.socket.send(json.dumps(command).encode())
        async with asyncio.timeout(90):
            await answered

    def _take(
        self, frame: dict[str, Any], pieces: list[str], answered: asyncio.Future[None]
    ) -> None:
        if frame["type"] == "piece":
            pieces.append(frame["text"])
            if len(pieces) == frame["of"]:
                self._take(json.loads("".join(pieces)), [], answered)
        elif frame["type"] in ("channel:snapshot", "channel:current"):
            self.seq = frame["seq"]
        elif frame["type"] in ("ack", "error") and not answered.done():
            assert frame["type"] == "ack", frame
            assert self.seq >= 0
            answered.set_result(None)

    def lose(self) -> None:
        """The network is away."""
        assert self.socket is not None
        self.socket.close()


async def reconnects(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """All of it beside MAIA itself: ratios, whatever the machine."""
    size = Row("m1 open a conversation of 5 MB", "ms", 2, other="of 50 KB")
    cpu = Row(f"m2 CPU of {SOCKETS} sockets that come back", "s", 0.3, other="opened")
    last = Row(f"m2 the last of {SOCKETS} that come back", "s", 0.3, other="opened")
    delay = Row("m3 delay p50 of a stream beside them", "ms", 1.5, other="alone")
    mine = (maia.person(), maia.workspace(), MESSAGES)
    theirs = [(maia.person(n), maia.workspace(n), MESSAGES, 240) for n in range(PEOPLE)]
    wanted = [(*mine, LARGE // MESSAGES), (*mine, SMALL // MESSAGES), *theirs]
    large, small, *channels = make(wanted, maia.server.env)
    tabs = [Tab(maia, n % PEOPLE, channels[n % PEOPLE]) for n in range(SOCKETS)]
    for channel in (large, small):
        await _opening(maia, channel)
    for _ in range(rounds):
        for _ in range(EACH):
            size.add(await _opening(maia, large), await _opening(maia, small))
        for tab in tabs:
            tab.seq = -1
        opened = await _measured(maia, [[tab] for tab in tabs])
        back = await _measured(maia, [tabs], lose=True)
        cpu.add(back[0], opened[0])
        last.add(back[1], opened[1])
        alone = await play(maia, "rate-50x150")
        beside, _ = await asyncio.gather(play(maia, "rate-50x150"), _come_back(tabs))
        delay.add(beside.p50, alone.p50)
        for tab in tabs:
            tab.lose()
    return [size, cpu, last, delay]


async def _opening(maia: MaiaSide, channel: str) -> float:
    tab = Tab(maia, 0, channel)
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
    await asyncio.sleep(1)  # what was begun before is over
    cpu, began = cpu_seconds(maia.pid), time.perf_counter()
    for group in groups:
        await asyncio.gather(*(tab.open() for tab in group))
    took = time.perf_counter() - began
    await asyncio.sleep(1)  # the lists of conversations come last, and count
    return cpu_seconds(maia.pid) - cpu, took


async def _come_back(tabs: list[Tab]) -> None:
    await asyncio.sleep(1)  # the stream runs
    for tab in tabs:
        tab.lose()
    await asyncio.gather(*(tab.open() for tab in tabs))
