"""A client of the hub in the test's own process: collects frames and folds them like a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import orjson

from agents.delivery import Client, hub, packet
from agents.protocol.frames import FRAME, ChannelSnapshot, Frame, MessageDelta, Ping
from agents.protocol.state import apply_frame
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.snapshots import snapshot
from maia_web.lib.db import in_db


def fresh_snapshot(user_id: int, channel_id: str) -> ChannelSnapshot:
    """What a new subscriber would get from the database."""
    return snapshot(user_id, channel_id)


class Listener:
    """Follows one channel as one person."""

    state: ChannelSnapshot

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._changed = asyncio.Condition()

    async def take(self, body: str) -> None:
        decoded = orjson.loads(body)
        async with self._changed:
            for one in decoded if isinstance(decoded, list) else [decoded]:
                frame = FRAME.validate_python(one)
                if isinstance(frame, ChannelSnapshot):
                    self.state = frame
                elif not isinstance(frame, Ping):
                    self.frames.append(frame)
                    self.state = apply_frame(self.state, frame)
            self._changed.notify_all()

    async def until(self, true: Callable[[ChannelSnapshot], bool]) -> ChannelSnapshot:
        """Waits until the folded state satisfies a condition."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: hasattr(self, "state") and true(self.state))
        return self.state

    async def until_idle(self) -> ChannelSnapshot:
        """Waits until nobody answers and nothing is queued, with at least one answer finished."""
        return await self.until(
            lambda state: (
                not state.busy
                and not state.queued
                and any(m.role == "agent" for m in state.messages)
                and all(m.done for m in state.messages)
            )
        )

    def text_deltas(self) -> list[str]:
        return [f.text or "" for f in self.frames if isinstance(f, MessageDelta) and not f.part]


@asynccontextmanager
async def listening(user_id: int, channel_id: str) -> AsyncIterator[Listener]:
    """Subscribes the way a socket does: hold, snapshot, release."""
    hub.loop = asyncio.get_running_loop()
    topic = channel_topic(channel_id)
    listener = Listener()
    client = Client(listener.take, lambda _why: None, lambda _name: None)
    hold = client.hold(topic)
    hub.join(topic, client)
    state = hub.with_streamed(await in_db(fresh_snapshot)(user_id, channel_id))
    client.release(hold, packet(state))
    await listener.until(lambda _state: True)
    try:
        yield listener
    finally:
        client.close()
        hub.leave_all(client)
