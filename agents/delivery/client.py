"""Client: one socket; when its turn to write comes, all that is pending goes out together.

A slow reader gets larger frames and loses nothing; one that stops reading is paused, then dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Literal

from agents.delivery.packets import Packet, merged
from agents.delivery.rounds import Bodies, Body, Rounds, rounds
from agents.protocol.frames import Ping, encode

logger = logging.getLogger(__name__)
PING_EVERY = 256 * 1024
PAUSE_AFTER = 1024 * 1024
DROP_AFTER = 16 * 1024 * 1024
MERGE_AFTER = 512
Dropped = Literal["slow", "broken"]


class Hold(list[Packet]):
    """What came of a topic while its snapshot was read."""

    def __init__(self, topic: str) -> None:
        super().__init__()
        self.topic = topic


class Client:
    """One socket: `send` sends a text, `drop` closes it when it cannot be kept up to date.

    `drop` hears whether it could not be written to, or reads too slowly.

    `on_signal` hears what is meant for the server's side of the socket (`delivery/signals.py`).
    """

    __slots__ = (
        "_closed",
        "_drop",
        "_held",
        "_next_ping",
        "_outgoing",
        "_pending",
        "_pings",
        "_ready",
        "_rounds",
        "_send",
        "_sending",
        "_since_ping",
        "_size",
        "_unacknowledged",
        "on_signal",
        "topics",
    )

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        drop: Callable[[Dropped], None],
        on_signal: Callable[[str], None],
        rounds: Rounds = rounds,
    ) -> None:
        self._send = send
        self._drop = drop
        self.on_signal = on_signal
        self._rounds = rounds
        self._pending: list[Packet] = []
        self._outgoing: deque[Body] = deque()
        self._size = 0
        self._ready = False
        self._sending: asyncio.Task[None] | None = None
        self._unacknowledged = 0
        self._since_ping = 0
        self._pings: dict[int, int] = {}
        self._next_ping = 0
        self._closed = False
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
        """Queues a packet."""
        if self._closed:
            return
        self._size += item.size
        if self._size > DROP_AFTER:
            self.close()
            self._drop("slow")
            return
        self._pending += item.pieces
        if len(self._pending) > MERGE_AFTER:
            self._pending = merged(self._pending)
        self._wake()

    @property
    def closed(self) -> bool:
        """Whether it writes nothing any more."""
        return self._closed

    def close(self) -> None:
        """Writes nothing any more."""
        self._closed = True
        self._pending.clear()
        self._outgoing.clear()
        if self._sending is not None:
            self._sending.cancel()

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

    def holds(self, topic: str) -> bool:
        """Whether anything of the topic is held back."""
        return topic in self._held

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
            self._wake()

    # --- writing -------------------------------------------------------------------------------

    def _wake(self) -> None:
        """Takes part in the next round, if there is something that may go out."""
        if self._ready or self._sending is not None or not (self._pending or self._outgoing):
            return
        if self._unacknowledged < PAUSE_AFTER:
            self._ready = True
            self._rounds.add(self)

    def write(self, bodies: Bodies) -> None:
        """Writes what is pending; a server that takes it at once, as daphne does, needs no task."""
        self._ready = False
        if self._closed:
            return
        if not self._outgoing and self._pending:
            self._outgoing += bodies.of(self._pending)
            self._pending = []
            self._size = sum(body.size for body in self._outgoing)
        if not self._outgoing:
            return
        body = self._outgoing.popleft()
        self._size -= body.size
        self._unacknowledged += body.size
        self._since_ping += body.size
        sending = self._sent(body.text)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            self._wake()
            return
        self._sending = asyncio.create_task(self._finish(sending, waits_for), name="socket-sends")

    async def _sent(self, text: str) -> None:
        """A reader who is gone is no fault; the socket's `receive` tells of it too."""
        try:
            await self._send(text)
            if self._since_ping >= PING_EVERY:
                self._next_ping += 1
                self._pings[self._next_ping] = self._since_ping
                self._since_ping = 0
                await self._send(encode(Ping(n=self._next_ping)).decode())
        except OSError:
            self.close()
        except Exception:
            logger.exception("a socket could not be written to")
            self.close()
            self._drop("broken")

    async def _finish(self, sending: Coroutine[Any, Any, None], waits_for: object) -> None:
        try:
            await _Rest(sending, waits_for)
        finally:
            self._sending = None
            self._wake()


class _Rest:
    """The rest of a coroutine whose first step was made outside of any task."""

    def __init__(self, begun: Coroutine[Any, Any, None], waits_for: object) -> None:
        self._begun = begun
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, None]:
        yield self._waits_for
        yield from self._begun.__await__()
