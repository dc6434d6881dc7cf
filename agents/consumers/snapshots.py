"""Snapshots of channels, read once for all who ask for the same one at the same moment.

A reading begins after everybody it is for has asked, so nothing in it is older than the question.
"""

from __future__ import annotations

import asyncio
import contextvars

from django.utils.translation import gettext as _

from agents.consumers.opening_queue import OpeningQueue, Rank, opening_queue
from agents.delivery import Packet, hub, packet
from agents.selectors.conversation.channels import channel_now
from agents.selectors.conversation.snapshots import snapshots as read_snapshots
from maia_web.lib.db import in_db
from maia_web.lib.errors import NotFound

Asked = dict[int, asyncio.Future[Packet | None]]
"""Who asked for a channel, by the id of the person: all of their tabs get the same."""


class Snapshots:
    """Only used on the server's loop."""

    def __init__(self, queue: OpeningQueue) -> None:
        self._queue = queue
        self._asked: dict[str, Asked] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def state(self, user: int, channel: str, seq: int | None = None) -> Packet:
        """Returns the snapshot of a channel, or less where somebody at `seq` has missed nothing.

        Raises `NotFound` unless this person may see the channel now.
        """
        found = None if seq is None else await self._current(user, channel, seq)
        found = found or await self._snapshot(user, channel)
        if found is None:
            raise NotFound(_("There is no such conversation."))
        return found

    async def _current(self, user: int, channel: str, seq: int) -> Packet | None:
        async with self._queue.turn(Rank.COMES_BACK):
            now = await in_db(channel_now)(user, channel)
        frame = hub.current(channel, seq, now.answer, now.lease) if now.seq == seq else None
        return packet(frame) if frame else None

    async def _snapshot(self, user: int, channel: str) -> Packet | None:
        loop = asyncio.get_running_loop()
        asked = self._asked.get(channel)
        if asked is None or any(one.get_loop() is not loop for one in asked.values()):
            asked = self._asked[channel] = {}
            # What is read belongs to all who ask; it must not be in the language of the first.
            task = asyncio.create_task(self._read(channel, asked), context=contextvars.Context())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(asked.setdefault(user, loop.create_future()))

    async def _read(self, channel: str, asked: Asked) -> None:
        try:
            async with self._queue.turn(Rank.OPENS):
                del self._asked[channel]  # who asks from now on waits for the next reading
                found = await in_db(read_snapshots)(channel, tuple(asked))
            for user, answer in asked.items():
                state = found.get(user)
                answer.set_result(packet(hub.with_streamed(state)) if state else None)
        except Exception as failure:  # noqa: BLE001  # whoever asked hears of it
            for answer in asked.values():
                if not answer.done():
                    answer.set_exception(failure)


snapshots = Snapshots(opening_queue)
"""The snapshots of this process."""
