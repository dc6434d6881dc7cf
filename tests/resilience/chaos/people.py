"""A person in a storm: one tab that comes back by itself, and an outbox as the browser has one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import count
from random import Random
from typing import Any

import httpx
import websockets

from agents.domain.rules.requests import PermissionRequest
from agents.protocol.frames import ChannelSnapshot
from tests.resilience.chaos.scripted import KINDS, words
from tests.support.reader import Reader, idle, pending
from tests.support.server import MaiaServer, Refused

COMES_BACK = 0.2
TRIES_AGAIN = 0.5
THINKS = (0.0, 0.5)
"""Seconds: how soon a tab connects again, a message goes again, somebody says the next thing."""
LONG = 3600.0
LOST = (OSError, AssertionError, TimeoutError, websockets.WebSocketException)
"""How the end of a connection, and a server that does not answer, look from here."""


class Person:
    """Says things into one channel, and answers the requests that a tab shows."""

    def __init__(
        self, name: str, web: MaiaServer, client: httpx.Client, channel: str, random: Random
    ) -> None:
        self.name = name
        self.client = client
        self.channel = channel
        self.said: dict[str, str] = {}
        self.outbox: dict[str, str] = {}
        self.acknowledged: dict[str, str] = {}
        self.wrong: list[str] = []
        self.reader: Reader | None = None
        self.tried = 0
        self.wants = asyncio.Semaphore(0)
        self.changed: Callable[[], None] = lambda: None
        self._web = web
        self._random = random
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._answered: set[str] = set()

    async def live(self) -> None:
        """Is there until cancelled."""
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._have_a_tab())
                both.create_task(self._talk())
        finally:
            for task in tuple(self._tasks):
                task.cancel()

    @property
    def settled(self) -> bool:
        """Whether all that was said is acknowledged and answered, as far as this tab shows."""
        return not self.outbox and self.state is not None and _rests(self.state)

    @property
    def state(self) -> ChannelSnapshot | None:
        """What the tab shows; None while it is not connected, or knows that it is behind."""
        return self.reader.shown if self.reader is not None else None

    async def _talk(self) -> None:
        while True:
            await self.wants.acquire()
            await asyncio.sleep(self._random.uniform(*THINKS))
            identity = f"{self.channel}-{self.name}-{next(self._numbers)}"
            self.said[identity] = self.outbox[identity] = words(
                identity, self._random.choice(KINDS)
            )
            if self.reader is not None:
                self._begin(self._send(self.reader, identity))
            self.tried += 1
            self.changed()

    async def _have_a_tab(self) -> None:
        while True:
            try:
                async with self._web.socket(self.client) as socket:
                    reader = Reader(socket, self.channel)
                    await reader.until(lambda _state: True)
                    self.reader, self._answered = reader, set()
                    for identity in tuple(self.outbox):
                        self._begin(self._send(reader, identity))
                    await reader.until(self._look, LONG)
            except LOST:
                self.reader = None
                self.changed()
                await asyncio.sleep(COMES_BACK)

    def _look(self, state: ChannelSnapshot) -> bool:
        self.changed()
        assert self.reader is not None
        for request in pending(state):
            if request.id not in self._answered:
                self._answered.add(request.id)
                self._begin(self._answer(self.reader, request))
        return False

    async def _send(self, reader: Reader, identity: str) -> None:
        """Sends one message until it is acknowledged or the connection is another one."""
        while reader is self.reader and identity in self.outbox:
            try:
                done = await reader.socket.command(
                    "channel:send", ref=identity, channel=self.channel, text=self.said[identity]
                )
            except Refused as refused:
                if refused.code != "unavailable":
                    self.wrong.append(f"{identity} was refused: {refused}")
                    return
                await asyncio.sleep(TRIES_AGAIN)
            except LOST:
                await asyncio.sleep(TRIES_AGAIN)
            else:
                self.acknowledged[identity] = str(done["message"])
                self.outbox.pop(identity, None)
                self.changed()

    async def _answer(self, reader: Reader, request: PermissionRequest) -> None:
        """Answers; who comes second hears that it is decided, and that is no fault."""
        try:
            await reader.answer(request, "allow_once")
        except Refused as refused:
            if refused.code == "unavailable":
                await asyncio.sleep(TRIES_AGAIN)
                self._answered.discard(request.id)
                self._look_once_more()
        except LOST:
            self._answered.discard(request.id)

    def _look_once_more(self) -> None:
        if self.state is not None:
            self._look(self.state)

    def _begin(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _rests(state: ChannelSnapshot) -> bool:
    return not pending(state) and (not state.messages or idle(state))
