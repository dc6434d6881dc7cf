"""The main socket: a person who is signed in sends commands and gets frames.

A plain ASGI application: Channels' consumers cost a thread hop per message and twice the memory.
Handlers return in milliseconds; answers run in the host. Frames go from the hub to the server.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from agents.consumers.decode import decode
from agents.consumers.handlers import HANDLERS, Caller
from agents.consumers.lists import Sight
from agents.consumers.opening_queue import Rank, opening_queue
from agents.consumers.people import people
from agents.consumers.snapshots import snapshots
from agents.consumers.watches import Watches
from agents.delivery import Client, Dropped, Hold, Packet, hub, packet
from agents.delivery.signals import ACCESS, AGAIN, LIST, LOST
from agents.protocol.commands import Command, Pong, Subscribe, Unsubscribe
from agents.protocol.frames import Ack, ChannelGone, Error, Frame, Hello
from agents.protocol.topics import (
    channel_topic,
    is_list,
    own_topic,
    person_topic,
    workspace_topic,
)
from agents.selectors.people import Visitor, visitor_with
from maia_web.lib import storage
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError, NotFound, TooMuch
from maia_web.lib.websocket_close import Close, Send, closed, sent

logger = logging.getLogger(__name__)
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
DOUBT = "rights"
"""What commands wait behind: as if it were a topic whose snapshot is read."""


async def client_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Serves `/ws` until either side leaves; the Origin was looked at around it."""
    if (await receive())["type"] != "websocket.connect":
        return
    if not await sent(send, {"type": "websocket.accept"}):
        return
    try:
        found = await _visitor(scope)
    except NotFound:
        await closed(send, Close.SIGNED_OUT)
        return
    tab = ClientTab(found, send)
    try:
        await tab.begin()
        while (message := await receive())["type"] == "websocket.receive":
            await tab.take(message.get("text"))
    finally:
        await tab.end()


async def _visitor(scope: Scope) -> Visitor:
    """Returns who is signed in; raises `NotFound` if nobody is."""
    async with opening_queue.turn(Rank.OPENS):
        found: Visitor = await in_db(visitor_with)(scope["cookies"])
    return found


class ClientTab:
    """One browser tab, or one program."""

    __slots__ = (
        "_channels",
        "_doubts",
        "_holds",
        "_missed",
        "_rate",
        "_send",
        "_subscribing",
        "_sure",
        "_tasks",
        "_watches",
        "client",
        "visitor",
    )

    def __init__(self, visitor: Visitor, send: Send) -> None:
        self.visitor = visitor
        self.client = Client(self._write, self._drop, self._signal)
        self._send = send
        self._rate = Rate(per_second=30, burst=120)
        self._channels: set[str] = set()
        self._doubts = 0
        self._holds: list[Hold] = []
        self._subscribing: Counter[str] = Counter()
        self._missed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._watches: Watches | None = None
        self._sure = asyncio.Event()
        self._sure.set()

    @property
    def watches(self) -> Watches:
        """The workspaces whose files it follows."""
        if self._watches is None:
            self._watches = Watches(self.client, self.visitor.id)
        return self._watches

    async def begin(self) -> None:
        """Says who they are, soon what they see, and follows them from now on."""
        hub.loop = asyncio.get_running_loop()
        hub.join(person_topic(self.visitor.id), self.client)
        self.push(
            Hello(
                user=self.visitor.person,
                administrator=self.visitor.administrator,
                release=settings.RELEASE,
            )
        )
        if hub.is_redis_away:
            self.push(hub.site_state())
        people.arrive(self)
        people.welcome(self)

    async def end(self) -> None:
        """Forgets the socket."""
        people.leave(self)
        hub.leave_all(self.client)
        self.client.close()
        for task in tuple(self._tasks):
            task.cancel()
        if self._watches is not None:
            await self._watches.stop_all()

    async def take(self, text: str | None) -> None:
        """Carries out one command; whatever is wrong with it, the socket stays open.

        While it is uncertain who sits here, and with which rights, it waits.
        """
        await self._sure.wait()
        if self.client.closed:  # signed out, perhaps, and their program does not mind the close
            return
        # without a choice of theirs, the language of the connection: the browser's
        with translation.override(self.visitor.language or translation.get_language()):
            await self._take(text)

    async def _take(self, text: str | None) -> None:
        ref: str | None = None
        try:
            command = decode(text)
            if isinstance(command, Pong):
                self.client.acknowledge(command.n)
                return
            ref = command.client_ref
            self._rate.spend()
            result = await self._carry_out(command)
            self.push(Ack(client_ref=ref, result=result or {}))
        except MaiaError as error:
            self.push(
                Error(
                    client_ref=ref or error.data.pop("clientRef", None),
                    code=error.code,
                    message=error.message,
                    data=error.data,
                )
            )
        except Exception as error:
            logger.exception("a command failed")
            known = storage.explain(error)
            code = known.code if known else "internal"
            message = known.message if known else _("Something went wrong inside MAIA. Try again.")
            self.push(Error(client_ref=ref, code=code, message=message))

    def push(self, frame: Frame) -> None:
        """Queues a frame for this socket alone."""
        self.client.push(packet(frame))

    async def _carry_out(self, command: Command) -> dict[str, Any] | None:
        match command:
            case Subscribe(channel=channel, seq=seq):
                await self._subscribe(channel, seq)
                return None
            case Unsubscribe(channel=channel):
                self._forget(channel)
                return None
            case _:
                handler = HANDLERS[type(command)]
                caller = Caller(self.visitor.id, self.watches, self.visitor.session or "")
                return await handler(caller, command)

    async def _subscribe(self, channel: str, seq: int | None = None) -> None:
        self._subscribing[channel] += 1
        try:
            await self._take_snapshot(channel, seq)
        finally:
            self._subscribing[channel] -= 1
        if channel in self._missed and not self._subscribing[channel]:
            self._missed.discard(channel)
            self._spawn(self._subscribe(channel))

    def _subscribe_again(self, channel: str, *, lost: bool) -> None:
        """Takes a new snapshot; where one is being taken, only after `lost` frames, and once."""
        if not self._subscribing[channel]:
            self._spawn(self._subscribe(channel))
        elif lost:
            self._missed.add(channel)

    async def _take_snapshot(self, channel: str, seq: int | None) -> None:
        topic = channel_topic(channel)
        hold = self.client.hold(topic)
        hub.join(topic, self.client)
        try:
            state = await self._state(channel, seq)
        except NotFound:
            self._forget(channel)
            raise
        except BaseException:
            self.client.give_up(hold)
            raise
        self._channels.add(channel)
        self.client.release(hold, state)

    async def _state(self, channel: str, seq: int | None) -> Packet:
        """Reads again what was read before rights changed: it is not among what is checked yet."""
        while True:
            doubts = self._doubts
            state = await snapshots.state(self.visitor.id, channel, seq)
            if doubts == self._doubts:
                return state

    def _forget(self, channel: str) -> None:
        self._channels.discard(channel)
        hub.leave(channel_topic(channel), self.client)
        self.client.abandon(channel_topic(channel))

    # --- what they may see ---------------------------------------------------------------------

    def show(self, sight: Sight, holds: Collection[Hold] = ()) -> None:
        """Tells what they see now, and takes away what they see no more.

        What was held back of lists is older, and is forgotten.
        """
        for hold in holds:
            if is_list(hold.topic):
                self.client.give_up(hold)
        shared = {workspace_topic(one) for one in sight.workspaces}
        wanted = shared | {own_topic(self.visitor.id, one) for one in sight.workspaces}
        for topic in {one for one in self.client.topics if is_list(one)} - wanted:
            hub.leave(topic, self.client)
        for topic in wanted - self.client.topics:
            hub.join(topic, self.client)
        self.client.push(sight.frame)
        for gone in self._channels - sight.channels:
            self._forget(gone)
            self.push(ChannelGone(channel=gone))

    def lose(self, channel: str) -> None:
        """A channel is gone: the socket follows it no more."""
        self._forget(channel)

    def take_holds(self) -> list[Hold]:
        """Returns what is held back since the last check, and forgets it."""
        holds, self._holds = self._holds, []
        return holds

    def keep_holds(self, holds: Iterable[Hold]) -> None:
        """They could not be checked: it waits for the next time."""
        self._holds += holds

    async def trust(self, sight: Sight, holds: Iterable[Hold]) -> None:
        """They were checked: sends what was held back of what they still see."""
        if self._watches is not None:
            await self._watches.keep_only(sight.workspaces)
        for hold in holds:
            self.client.resume(hold)
        if not self.client.holds(DOUBT):
            self._sure.set()

    def sign_out(self) -> None:
        """Closes the socket: nobody is signed in there any more."""
        self._close(Close.SIGNED_OUT)

    def _signal(self, name: str) -> None:
        if name == LIST:
            people.list_changed(self.visitor.id)
        elif name == ACCESS:
            self._sure.clear()
            self._doubts += 1
            lists = filter(is_list, self.client.topics)
            doubted = [DOUBT, *lists, *(channel_topic(one) for one in self._channels)]
            self._holds += [self.client.hold(topic) for topic in doubted]
            people.rights_changed(self.visitor.id)
        elif name in (AGAIN, LOST):
            for channel in tuple(self._channels):
                self._subscribe_again(channel, lost=name == LOST)

    # --- the wire ------------------------------------------------------------------------------

    async def _write(self, text: str) -> None:
        if not await sent(self._send, {"type": "websocket.send", "text": text}):
            raise ConnectionResetError("the client is gone")

    def _drop(self, why: Dropped) -> None:
        self._close(Close.TOO_SLOW if why == "slow" else Close.BROKEN)

    def _close(self, code: Close) -> None:
        hub.leave_all(self.client)
        self.client.close()
        self._sure.set()
        self._spawn(closed(self._send, code))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("a task of a socket failed", exc_info=task.exception())


class Rate:
    """A bucket of `burst` commands that fills again by `per_second`."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()

    def spend(self) -> None:
        """Takes one command; raises `TooMuch` when the bucket is empty."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            raise TooMuch(_("Too many commands at once. Wait a moment."), retryAfter=1)
        self._left -= 1
