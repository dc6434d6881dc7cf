"""The main socket: signs in once, then takes commands and sends frames.

Handlers return in milliseconds; answers run in the host. Frames do not pass Channels' dispatch,
which costs a thread hop per message, but go from the hub straight to the socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
from collections.abc import Collection
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from agents.consumers.decode import decode
from agents.consumers.handlers import HANDLERS, Caller
from agents.consumers.rate import Rate
from agents.consumers.watching import Watching
from agents.hub import Client, Hold, hub, packet
from agents.protocol.commands import Command, Pong, Subscribe, Unsubscribe
from agents.protocol.frames import (
    Ack,
    ChannelGone,
    ChannelsChanged,
    ChannelSnapshot,
    Error,
    Frame,
    Hello,
    WorkspaceInfo,
)
from agents.protocol.topics import channel_topic, person_topic, workspace_topic
from agents.selectors.channels import channel_for, channels_of
from agents.selectors.conversations import snapshot
from agents.selectors.people import Visitor, visitor
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError, NotFound
from workspaces.selectors import workspaces_of
from workspaces.terminals.host import terminals

logger = logging.getLogger(__name__)
SIGNED_OUT = 4401
TOO_SLOW = 4408
CHECK_EVERY = 30.0
LIST_AFTER = 0.1


class ClientConsumer(AsyncWebsocketConsumer):
    """One browser tab, or one program."""

    client: Client
    visitor: Visitor

    async def connect(self) -> None:
        """Accepts a person who is signed in."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._channels_task: asyncio.Task[None] | None = None
        self._subscriptions: set[str] = set()
        self._rate = Rate(per_second=30, burst=120)
        user = self.scope.get("user")
        if user is None or not user.is_authenticated:
            await self.accept()
            await self.close(SIGNED_OUT)
            return
        session = self.scope.get("session")
        self.visitor = await in_db(visitor)(user.pk, session.session_key if session else None)
        hub.loop = asyncio.get_running_loop()
        self.client = Client(self._write, self._drop, self._signal)
        self.watching = Watching(self.client, self.visitor.id)
        await self.accept()
        self._spawn(self.client.run())
        hub.join(person_topic(self.visitor.id), self.client)
        self.push(
            Hello(
                user=self.visitor.person,
                administrator=self.visitor.administrator,
                release=settings.RELEASE,
            )
        )
        await self._send_channels()
        self._spawn(self._keep_checking())

    async def disconnect(self, code: int) -> None:
        """Forgets the socket."""
        client = getattr(self, "client", None)
        if client is not None:
            hub.leave_all(client)
            await self.watching.stop_all()
        for task in tuple(getattr(self, "_tasks", ())):
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carries out one command; whatever is wrong with it, the socket stays open."""
        if not hasattr(self, "client"):
            return
        # without a choice of theirs, the language of the connection: the browser's
        with translation.override(self.visitor.language or translation.get_language()):
            await self._take(text_data)

    async def _take(self, text_data: str | None) -> None:
        ref: str | None = None
        try:
            command = decode(text_data)
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
        except Exception:
            logger.exception("a command failed")
            message = _("Something went wrong inside MAIA. Try again.")
            self.push(Error(client_ref=ref, code="internal", message=message))

    def push(self, frame: Frame) -> None:
        """Queues a frame for this socket alone."""
        self.client.push(packet(frame))

    async def _carry_out(self, command: Command) -> dict[str, Any] | None:
        match command:
            case Subscribe(channel=channel):
                await self._subscribe(channel)
                return None
            case Unsubscribe(channel=channel):
                self._forget(channel)
                return None
            case _:
                handler = HANDLERS[type(command)]
                return await handler(Caller(self.visitor.id, self.watching), command)

    async def _subscribe(self, channel: str) -> None:
        topic = channel_topic(channel)
        hold = self.client.hold(topic)
        hub.join(topic, self.client)
        try:
            state = await in_db(_snapshot)(self.visitor.id, channel)
        except NotFound:
            self._forget(channel)
            raise
        except BaseException:
            self.client.give_up(hold)
            raise
        self._subscriptions.add(channel)
        self.client.release(hold, packet(hub.with_streamed(state)))

    def _forget(self, channel: str) -> None:
        self._subscriptions.discard(channel)
        hub.leave(channel_topic(channel), self.client)
        self.client.abandon(channel_topic(channel))

    async def _send_channels(self) -> None:
        channels = await in_db(channels_of)(self.visitor.id)
        workspaces = await in_db(_workspaces)(self.visitor.id)
        wanted = {workspace_topic(one.id) for one in workspaces}
        for topic in {t for t in self.client.topics if t.startswith("workspace.")} - wanted:
            hub.leave(topic, self.client)
        for topic in wanted - self.client.topics:
            hub.join(topic, self.client)
        self.push(ChannelsChanged(channels=channels, workspaces=workspaces))
        for gone in self._subscriptions - {channel.id for channel in channels}:
            self._forget(gone)
            self.push(ChannelGone(channel=gone))

    def _signal(self, name: str) -> None:
        if name == "channels" and (self._channels_task is None or self._channels_task.done()):
            self._channels_task = self._spawn(self._send_channels_soon())
        elif name == "access":
            held = [self.client.hold(channel_topic(one)) for one in self._subscriptions]
            self._spawn(self._check(held))
        elif name == "again":
            for channel in tuple(self._subscriptions):
                self._spawn(self._subscribe(channel))

    async def _send_channels_soon(self) -> None:
        await asyncio.sleep(LIST_AFTER)
        self._channels_task = None
        await self._send_channels()

    async def _keep_checking(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY)
            await self._check()

    async def _check(self, held: Collection[Hold] = ()) -> None:
        """A person who signed out, was disabled or left a workspace loses what they had open.

        Nothing that is held goes out before it is certain that they may still see it.
        """
        try:
            self.visitor = await in_db(visitor)(self.visitor.id, self.visitor.session)
        except NotFound:
            await self.close(SIGNED_OUT)
            return
        await terminals.recheck(self.visitor.id)
        await self._send_channels()
        reached = await in_db(_workspaces)(self.visitor.id)
        await self.watching.keep_only([one.id for one in reached])
        for hold in held:
            self.client.resume(hold)

    async def _write(self, body: bytes) -> None:
        await self.send(text_data=body.decode())

    def _drop(self) -> None:
        self._spawn(self._close_slow())

    async def _close_slow(self) -> None:
        with contextlib.suppress(RuntimeError):
            await self.close(TOO_SLOW)

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("a task of a socket failed", exc_info=task.exception())


def _snapshot(user_id: int, channel_id: str) -> ChannelSnapshot:
    return snapshot(channel_for(user_id, channel_id))


def _workspaces(user_id: int) -> tuple[WorkspaceInfo, ...]:
    return tuple(
        WorkspaceInfo(id=one.id, name=one.name, role=one.role, personal=one.personal)
        for one in workspaces_of(user_id)
    )
