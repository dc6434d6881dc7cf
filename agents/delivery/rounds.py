"""Rounds: writes for every client that has something pending, in one callback of the loop."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from agents.delivery.packets import Packet, together

LONG_ROUND = 0.005
MOST_REST = 0.033
SHORT = 8 * 1024
"""Bytes of a message whose text is made once for all."""


class Body:
    """A WebSocket message on its way to one or more sockets."""

    __slots__ = ("_short", "_utf8", "size")

    def __init__(self, utf8: bytes) -> None:
        self.size = len(utf8)
        self._utf8 = utf8
        self._short = utf8.decode() if self.size <= SHORT else None

    @property
    def text(self) -> str:
        """The message; a long one is made when it goes out: one emoji, and it is four times it."""
        return self._utf8.decode() if self._short is None else self._short


class Bodies(dict[tuple[Packet, ...], tuple[Body, ...]]):
    """What was encoded in this round: clients that wait for the same packets share it."""

    def of(self, packets: Sequence[Packet]) -> tuple[Body, ...]:
        """Returns the packets as WebSocket messages."""
        key = tuple(packets)
        made = self.get(key)
        if made is None:
            made = self[key] = tuple(Body(utf8) for utf8 in together(packets))
        return made


class Writer(Protocol):
    """Somebody who has something to write."""

    def write(self, bodies: Bodies) -> None:
        """Writes what is pending now; never raises."""


class Rounds:
    """A round begins at once, unless the last one took long: then the loop first has a rest.

    The rest lasts as long as that round, 33 ms at most. What comes meanwhile goes out together, and
    half of the loop's time is left to others however many sockets there are.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, most_rest: float = MOST_REST
    ) -> None:
        self._clock = clock
        self._most_rest = most_rest
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: list[Writer] = []
        self._rests_until = 0.0

    def add(self, writer: Writer) -> None:
        """Lets `writer` write in the next round; to be called once for each."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._ready, self._rests_until = loop, [], 0.0
        self._ready.append(writer)
        if len(self._ready) == 1:
            # What wakes the round belongs to one request; what the round does belongs to none.
            empty = contextvars.Context()
            rest = self._rests_until - self._clock()
            if rest > 0:
                loop.call_later(rest, self._run, context=empty)
            else:
                loop.call_soon(self._run, context=empty)

    def _run(self) -> None:
        began = self._clock()
        ready, self._ready = self._ready, []
        bodies = Bodies()
        for writer in ready:
            writer.write(bodies)
        ended = self._clock()
        if ended - began >= LONG_ROUND:
            self._rests_until = ended + min(ended - began, self._most_rest)


rounds = Rounds()
"""The rounds of this process."""
