"""People: the tabs of each person, and what they may see, read once for all of them.

People are taken one after the other, so that a command waits for one list and not for fifty.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Collection, Coroutine, Iterable
from typing import Any, Protocol

from django.db import DatabaseError, Error

from agents.consumers.lists import Lists, Reader, Sight, sight_of
from agents.consumers.opening_queue import Rank, opening_queue
from agents.delivery import Hold, hub
from agents.delivery.signals import CHANNEL, FEWER, channel_read
from agents.protocol.topics import channel_in, is_person, person_in
from agents.selectors.people import Visitor, visitor
from maia_web.lib.db import in_db
from maia_web.lib.errors import NotFound
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import workspaces_of

logger = logging.getLogger(__name__)
CHECK_EVERY = 30.0
CHECK_AGAIN = 1.0


class Tab(Reader, Protocol):
    """A socket of a person; `visitor` is who sat there when it was last checked."""

    visitor: Visitor

    def show(self, sight: Sight, holds: Collection[Hold] = ()) -> None:
        """Tells what they see now, and takes away what they see no more.

        What was held back of lists is older, and is forgotten.
        """

    def take_holds(self) -> list[Hold]:
        """Returns what is held back since the last check, and forgets it."""

    async def trust(self, sight: Sight, holds: Iterable[Hold]) -> None:
        """They were checked: sends what was held back of what they still see."""

    def keep_holds(self, holds: Iterable[Hold]) -> None:
        """They could not be checked: it waits for the next time."""

    def sign_out(self) -> None:
        """Closes the socket: nobody is signed in there any more."""


class People:
    """The tabs of this process, by the id of their person. Only used on the server's loop."""

    def __init__(self) -> None:
        self._tabs: dict[int, set[Tab]] = {}
        self._rights: dict[int, frozenset[WorkspaceAccess]] = {}
        self._lists = Lists(self._tabs, self._show)
        self._new: dict[int, set[Tab]] = {}
        self._welcome: asyncio.Task[None] | None = None
        self._checks: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._reader: asyncio.Task[None] | None = None
        self._rounds: asyncio.Task[None] | None = None

    def arrive(self, tab: Tab) -> None:
        """The tab is told of changes from now on."""
        hub.listeners.add(self._heard)
        self._tabs.setdefault(tab.visitor.id, set()).add(tab)
        if self._rounds is None or self._rounds.done():
            self._rounds = self._spawn(self._keep_checking())

    def welcome(self, tab: Tab) -> None:
        """The tab, which has arrived, is told soon what its person sees."""
        self._new.setdefault(tab.visitor.id, set()).add(tab)
        if self._welcome is None or self._welcome.done():
            self._welcome = self._spawn(self._tell_new())

    def leave(self, tab: Tab) -> None:
        """Ends that."""
        tabs = self._tabs.get(tab.visitor.id, set())
        tabs.discard(tab)
        if not tabs:
            self._tabs.pop(tab.visitor.id, None)
            self._rights.pop(tab.visitor.id, None)
        if not self._tabs:
            hub.listeners.discard(self._heard)
            self._new.clear()
            self._lists.forget()
            for task in self._tasks - {asyncio.current_task()}:
                task.cancel()

    def list_changed(self, person: int) -> None:
        """Sends the list of channels to all tabs of this person, once for all changes in 0.1 s."""
        self._lists.list_changed(person)
        self._tell()

    def rights_changed(self, person: int) -> None:
        """Checks the tabs of this person at once; they hold back what comes meanwhile."""
        known = self._checks.get(person)
        if known is None or known.done():
            self._checks[person] = self._spawn(self._check_now(person))

    def _heard(self, topic: str, name: str) -> None:
        """Something changed that lists show, here or in another process."""
        channel, read = channel_in(topic), channel_read(name)
        if channel and name in (CHANNEL, FEWER):
            self._lists.channel_changed(channel, fewer=name == FEWER)
        elif read and is_person(topic) and (person := person_in(topic)) in self._tabs:
            self._lists.channel_read(read, person)
        else:
            return
        self._tell()

    def _tell(self) -> None:
        if self._reader is None or self._reader.done():
            self._reader = self._spawn(self._lists.tell())

    async def _show(self, person: int) -> None:
        async with self._lists.reading:
            sight = await in_db(sight_of)(person)
            self._lists.know(sight)
            self._rights[person] = sight.rights
            for tab in tuple(self._tabs.get(person, ())):
                tab.show(sight)

    async def _tell_new(self) -> None:
        """Those who came: one person after the other, once for all of their tabs."""
        while self._new:
            try:
                async with opening_queue.turn(Rank.LISTS):
                    person, tabs = self._new.popitem()
                    await self._welcome_tabs(person, tabs)
            except DatabaseError:
                logger.exception("the channels of a person could not be read; trying again")
                self._new.setdefault(person, set()).update(tabs)
                await asyncio.sleep(CHECK_AGAIN)

    async def _welcome_tabs(self, person: int, tabs: set[Tab]) -> None:
        async with self._lists.reading:
            sight = await in_db(sight_of)(person)
            self._lists.know(sight)
            self._rights.setdefault(person, sight.rights)  # older tabs may have been told others
            for tab in tabs & self._tabs.get(person, set()):
                tab.show(sight)

    async def _keep_checking(self) -> None:
        while self._tabs:
            await asyncio.sleep(CHECK_EVERY)
            for person in tuple(self._tabs):
                try:
                    await self._look_at(person)
                except Error:
                    logger.exception("a person could not be looked at; the next time will do")

    async def _look_at(self, person: int) -> None:
        """The same for changes that no signal told of: who has the same rights is told nothing."""
        await self._check_sessions(person, tuple(self._tabs.get(person, ())))
        if person in self._tabs:
            rights = frozenset(await in_db(workspaces_of)(person))
            if rights != self._rights.get(person):
                await self._check(person)

    async def _check_now(self, person: int) -> None:
        self._checks.pop(person, None)  # who asks from now on wants another reading
        await self._check(person)

    async def _check(self, person: int) -> None:
        """A person who signed out, was disabled or left a workspace loses what they had open.

        Nothing that is held goes out before it is certain that they may still see it.
        """
        holds = {tab: tab.take_holds() for tab in self._tabs.get(person, ())}
        if not holds:
            return
        try:
            await self._check_sessions(person, holds)
            async with self._lists.reading:
                sight = await in_db(sight_of)(person)
                self._lists.know(sight)
                self._rights[person] = sight.rights
                checked = self._tabs.get(person, set()) & holds.keys()
                for tab in checked:
                    tab.show(sight, holds[tab])
            for tab in checked:
                await tab.trust(sight, holds.pop(tab))
        except Exception:
            logger.exception("a person could not be checked; trying again")
            for tab, waiting in holds.items():
                tab.keep_holds(waiting)
            self._spawn(self._check_again(person))

    async def _check_again(self, person: int) -> None:
        await asyncio.sleep(CHECK_AGAIN)
        self.rights_changed(person)

    async def _check_sessions(self, person: int, tabs: Iterable[Tab]) -> None:
        for session in {tab.visitor.session for tab in tabs}:
            theirs = [tab for tab in tabs if tab.visitor.session == session]
            try:
                found = await in_db(visitor)(person, session)
            except NotFound:
                for tab in theirs:
                    self.leave(tab)
                    tab.sign_out()
            else:
                for tab in theirs:
                    tab.visitor = found

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("sockets could not be kept up to date", exc_info=task.exception())


people = People()
"""The people of this process."""
