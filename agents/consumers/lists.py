"""Lists: what changed in people's lists of channels, read once for all of them (decision 0025).

One reading at a time, told before the next begins: whatever is told last is the latest, and no
number has to say so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from django.db import Error

from agents.delivery import Client, Packet, hub, packet
from agents.protocol.frames import ChannelGone, ChannelsChanged, ChannelUnread
from agents.protocol.topics import own_topic, workspace_topic
from agents.selectors.conversation.lists import (
    channel_changed,
    channels_of,
    unread_in,
    workspace_info,
)
from maia_web.lib.db import in_db
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import workspaces_of

logger = logging.getLogger(__name__)
TELL_AFTER = 0.1
"""Seconds: what changes meanwhile is told together."""
TELL_AGAIN = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """To whom a channel is told, and up to which position everybody there knows it.

    None: nobody is there who was told.
    """

    topic: str
    position: int | None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a person may see, by ids, the frame that tells them, and what they know then."""

    rights: frozenset[WorkspaceAccess]
    channels: frozenset[str]
    workspaces: frozenset[str]
    frame: Packet
    told: Mapping[str, Told]


@dataclass(slots=True)
class Change:
    """What is to be told of a channel: what it is, or how much of it these have not read."""

    entry: bool = False
    fewer: bool = False
    readers: set[int] = field(default_factory=set)


class Reader(Protocol):
    """A socket that shows a list."""

    @property
    def client(self) -> Client:
        """Where it is written to; it is in the topics of what the list shows."""

    def lose(self, channel: str) -> None:
        """A channel is gone: the socket follows it no more."""


class Lists:
    """What is still to be told. Only used on the server's loop.

    `people`: the sockets of this process, by the id of their person; `show` tells the whole list of
    a person to all of theirs.
    """

    def __init__(
        self, people: Mapping[int, Collection[Reader]], show: Callable[[int], Awaitable[None]]
    ) -> None:
        self._people = people
        self._show = show
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._told: dict[str, Told] = {}
        self._whole: dict[int, None] = {}
        self._changes: dict[str, Change] = {}

    @property
    def reading(self) -> AbstractAsyncContextManager[None]:
        """Read within, and tell before it ends."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._lock, self._told = loop, asyncio.Lock(), {}
        return self._lock

    def forget(self) -> None:
        """Nobody is there any more."""
        self._told.clear()
        self._whole.clear()
        self._changes.clear()

    def know(self, sight: Sight) -> None:
        """Somebody was told all they see."""
        for channel, told in sight.told.items():
            known = self._told.get(channel)
            if known is None or known.position is None:
                self._told[channel] = told

    def list_changed(self, person: int) -> None:
        """The whole list of a person is to be told."""
        self._whole[person] = None

    def channel_changed(self, channel: str, *, fewer: bool = False) -> None:
        """What a channel is, is to be told; where its messages are `fewer`, all count anew."""
        self._add(channel, Change(entry=True, fewer=fewer))

    def channel_read(self, channel: str, person: int) -> None:
        """What a person has not read of a channel is to be told to them."""
        self._add(channel, Change(readers={person}))

    def _add(self, channel: str, change: Change) -> None:
        """A change is to be told, with those of the same channel that are not told yet."""
        waits = self._changes.setdefault(channel, Change())
        waits.entry, waits.fewer = waits.entry or change.entry, waits.fewer or change.fewer
        waits.readers |= change.readers

    async def tell(self) -> None:
        """Tells all there is to tell, and what comes meanwhile; a whole list lets others pass."""
        while self._whole or self._changes:
            await asyncio.sleep(TELL_AFTER)
            await self._tell_changes()
            while self._whole:
                person = next(iter(self._whole))
                del self._whole[person]
                await self._surely(self._show(person), partial(self.list_changed, person))
                await self._tell_changes()

    async def _tell_changes(self) -> None:
        for channel in tuple(self._changes):
            change = self._changes.pop(channel)
            again = partial(self._add, channel, change)
            await self._surely(self._tell_change(channel, change), again)

    async def _surely(self, telling: Awaitable[None], again: Callable[[], object]) -> None:
        try:
            await telling
        except Error:
            logger.exception("a list of channels could not be read; trying again")
            again()
            await asyncio.sleep(TELL_AGAIN)

    async def _tell_change(self, channel: str, change: Change) -> None:
        async with self.reading:
            if change.entry:
                await self._tell_entry(channel)
            topic = self._topic_here(channel)
            readers = set(self._people) if change.fewer else change.readers
            if topic and readers:
                await self._tell_unread(channel, topic, readers)

    def _topic_here(self, channel: str) -> str | None:
        """Returns the topic of a channel that somebody here was told; None if nobody was."""
        told = self._told.get(channel)
        if told is None:
            return None
        if not hub.clients.get(told.topic):
            self._told[channel] = Told(told.topic, None)
            return None
        return told.topic

    async def _tell_entry(self, channel: str) -> None:
        told = self._told.get(channel)
        if told and not self._topic_here(channel):
            return
        found = await in_db(channel_changed)(channel, told.position or 0 if told else None)
        if found is None:
            self._tell_gone(channel)
            return
        topic = _topic(found.workspace, found.person)
        if told is None:
            self._told[channel] = Told(topic, None)
            if self._topic_here(channel):  # it is new to those who are there
                await self._tell_entry(channel)
            return
        hub.publish(topic, found.frame)
        self._told[channel] = Told(topic, found.frame.position)

    def _tell_gone(self, channel: str) -> None:
        told = self._told.pop(channel, None)
        if told is None:
            return
        gone = packet(ChannelGone(channel=channel))
        for reader in self._readers(told.topic, self._people):
            reader.client.offer(told.topic, gone)
            reader.lose(channel)

    async def _tell_unread(self, channel: str, topic: str, people: Collection[int]) -> None:
        there = [person for person in people if self._readers(topic, (person,))]
        counted = await in_db(unread_in)(channel, there) if there else {}
        for person, (position, unread) in counted.items():
            told = packet(ChannelUnread(channel=channel, position=position, unread=unread))
            for reader in self._readers(topic, (person,)):
                reader.client.offer(topic, told)

    def _readers(self, topic: str, people: Collection[int]) -> list[Reader]:
        """Returns the sockets of these people that show what is told to a topic."""
        theirs = (reader for person in people for reader in self._people.get(person, ()))
        return [reader for reader in theirs if topic in reader.client.topics]


def sight_of(user_id: int) -> Sight:
    """Reads what a person may see now."""
    reached = workspaces_of(user_id)
    channels = channels_of(user_id, reached)
    workspaces = tuple(workspace_info(one) for one in reached)
    return Sight(
        rights=frozenset(reached),
        channels=frozenset(one.id for one in channels),
        workspaces=frozenset(one.id for one in reached),
        frame=packet(ChannelsChanged(channels=channels, workspaces=workspaces)),
        told={
            one.id: Told(_topic(one.workspace, user_id if one.direct else None), one.position)
            for one in channels
        },
    )


def _topic(workspace: str, person: int | None) -> str:
    return workspace_topic(workspace) if person is None else own_topic(person, workspace)
