"""A tab on one channel in the test's own process: subscribes again where a browser would."""

from __future__ import annotations

import asyncio
from itertools import count

import orjson

from agents.delivery import Client, Hub, packet
from agents.domain.content.transcript import OutOfOrder
from agents.protocol.frames import (
    FRAME,
    ChannelCurrent,
    ChannelReset,
    ChannelSnapshot,
    Frame,
    NoticeGiven,
    Ping,
)
from agents.protocol.state import apply_frame
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.channels import channel_now
from maia_web.lib.db import in_db
from tests.support.listener import fresh_snapshot

MARK = "mark"
_numbers = count()


class Tab:
    """Folds what the hub sends; `history` holds every snapshot and frame it got, in order."""

    state: ChannelSnapshot

    def __init__(self, hub: Hub, user: int, channel: str) -> None:
        self._hub, self._user, self._channel = hub, user, channel
        self._client = Client(self._take, lambda _why: None, self._signal)
        self._stale = True
        self._marks: dict[str, asyncio.Event] = {}
        self.history: list[Frame] = []
        self.currents = 0

    async def settle(self) -> ChannelSnapshot:
        """Returns what is shown once everything sent so far has arrived."""
        await self._arrived()
        while self._stale:
            await self._subscribe()
            await self._arrived()
        return self.state

    async def leave(self) -> None:
        """The connection is lost: what is said meanwhile never arrives."""
        await self._arrived()
        self._hub.leave_all(self._client)

    async def come_back(self) -> ChannelSnapshot:
        """Connects anew, and says how far it is."""
        self._client.close()
        self._client = Client(self._take, lambda _why: None, self._signal)
        if hasattr(self, "state"):
            await self._subscribe(self.state.seq)
            await self._arrived()
        return await self.settle()

    async def close(self) -> None:
        """Leaves."""
        self._hub.leave_all(self._client)
        self._client.close()

    async def _subscribe(self, seq: int | None = None) -> None:
        self._stale = True
        topic = channel_topic(self._channel)
        hold = self._client.hold(topic)
        self._hub.join(topic, self._client)
        now = await in_db(channel_now)(self._user, self._channel)
        current = self._hub.current(self._channel, now.seq, now.answer, now.lease)
        if now.seq == seq and current is not None:
            self.currents += 1
            self._client.release(hold, packet(current))
            return
        state = await in_db(fresh_snapshot)(self._user, self._channel)
        self._client.release(hold, packet(self._hub.with_streamed(state)))

    async def _arrived(self) -> None:
        name = str(next(_numbers))
        self._marks[name] = asyncio.Event()
        self._client.push(packet(NoticeGiven(channel=MARK, code=name, message="")))
        async with asyncio.timeout(10):
            await self._marks[name].wait()

    def _signal(self, name: str) -> None:
        self._stale = self._stale or name in ("again", "lost")

    async def _take(self, body: str) -> None:
        decoded = orjson.loads(body)
        for one in decoded if isinstance(decoded, list) else [decoded]:
            self._fold(FRAME.validate_python(one))

    def _fold(self, frame: Frame) -> None:
        if isinstance(frame, NoticeGiven) and frame.channel == MARK:
            self._marks[frame.code].set()
            return
        self.history.append(frame)
        if isinstance(frame, ChannelSnapshot):
            self.state, self._stale = frame, False
        elif isinstance(frame, ChannelReset):
            self._stale = True
        elif isinstance(frame, ChannelCurrent):
            self.state, self._stale = apply_frame(self.state, frame), False
        elif not self._stale and not isinstance(frame, Ping):
            try:
                self.state = apply_frame(self.state, frame)
            except OutOfOrder:
                self._stale = True
