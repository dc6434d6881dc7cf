"""Client: one socket; what is pending when its writer runs goes out together.

A slow reader gets larger frames and loses nothing; one that stops reading is paused, then dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from agents.hub.packets import Merged, Packet
from agents.protocol.frames import MessageDelta, Ping, encode

PING_EVERY = 256 * 1024
PAUSE_AFTER = 1024 * 1024
DROP_AFTER = 16 * 1024 * 1024


class Hold(list[Packet]):
    """What came of a topic while its snapshot was read."""

    def __init__(self, topic: str) -> None:
        super().__init__()
        self.topic = topic


class Client:
    """One socket: `write` sends bytes, `drop` closes it when it reads too slowly.

    `on_signal` hears what is meant for the server's side of the socket: "channels" (the list
    changed), "access" (rights changed), "again" (frames may be missing).
    """

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[None]],
        drop: Callable[[], None],
        on_signal: Callable[[str], None],
    ) -> None:
        self._write = write
        self._drop = drop
        self.on_signal = on_signal
        self._pending: list[Packet | Merged] = []
        self._size = 0
        self._wakened = asyncio.Event()
        self._unacknowledged = 0
        self._since_ping = 0
        self._pings: dict[int, int] = {}
        self._next_ping = 0
        self._dropped = False
        self._held: dict[str, list[Hold]] = {}
        self.topics: set[str] = set()

    def offer(self, topic: str, item: Packet) -> None:
        """Queues a packet of a topic, or holds it back while the topic's snapshot is read."""
        holds = self._held.get(topic)
        if holds:
            for hold in holds:
                hold.append(item)
        else:
            self.push(item)

    def push(self, item: Packet) -> None:
        """Queues a packet; text for the same part as the last one joins it."""
        if self._dropped:
            return
        self._size += item.size
        if self._size > DROP_AFTER:
            self._dropped = True
            self._pending.clear()
            self._drop()
            return
        if item.text is None or not self._joins_last(item):
            self._pending.append(item)
        self._wakened.set()

    def _joins_last(self, item: Packet) -> bool:
        last = self._pending[-1] if self._pending else None
        if isinstance(last, Packet):
            if last.text is None or not isinstance(last.frame, MessageDelta):
                return False
            last = Merged(last.frame)
            if last.take(item):
                self._pending[-1] = last
                return True
            return False
        return last is not None and last.take(item)

    def hold(self, topic: str) -> Hold:
        """From now on packets of `topic` wait for `release`, `resume` or `abandon`.

        Several may hold a topic at once: each gets every packet since it began, so that whichever
        snapshot is sent last is followed by all that is newer.
        """
        hold = Hold(topic)
        self._held.setdefault(topic, []).append(hold)
        return hold

    def release(self, hold: Hold, snapshot: Packet) -> None:
        """Sends the snapshot, then what was held and is newer; nothing if it was abandoned."""
        if self._end(hold):
            self.push(snapshot)
            for item in hold:
                if item.seq is None or snapshot.seq is None or item.seq > snapshot.seq:
                    self.push(item)

    def resume(self, hold: Hold) -> None:
        """Sends what was held, as it came."""
        if self._end(hold):
            for item in hold:
                self.push(item)

    def abandon(self, topic: str) -> None:
        """Forgets everything held of a topic: the person may not see it."""
        self._held.pop(topic, None)

    def give_up(self, hold: Hold) -> None:
        """Forgets one hold: its snapshot never came. Other holds go on."""
        self._end(hold)

    def _end(self, hold: Hold) -> bool:
        """Takes a hold away; whether it was there."""
        holds = self._held.get(hold.topic, [])
        found = any(one is hold for one in holds)
        others = [one for one in holds if one is not hold]
        if others:
            self._held[hold.topic] = others
        else:
            self._held.pop(hold.topic, None)
        return found

    def acknowledge(self, n: int) -> None:
        """The client has read everything up to ping `n`."""
        size = self._pings.pop(n, None)
        if size is not None:
            self._unacknowledged = max(0, self._unacknowledged - size)
            self._wakened.set()

    async def run(self) -> None:
        """Writes for as long as the socket lives; the consumer cancels it."""
        while True:
            await self._wakened.wait()
            self._wakened.clear()
            if self._pending and self._unacknowledged < PAUSE_AFTER:
                await self._flush()

    async def _flush(self) -> None:
        pending, self._pending, self._size = self._pending, [], 0
        bodies = [item.body for item in pending]
        body = bodies[0] if len(bodies) == 1 else b"[" + b",".join(bodies) + b"]"
        self._unacknowledged += len(body)
        self._since_ping += len(body)
        await self._write(body)
        if self._since_ping >= PING_EVERY:
            self._next_ping += 1
            self._pings[self._next_ping] = self._since_ping
            self._since_ping = 0
            await self._write(encode(Ping(n=self._next_ping)))
