"""Starts and stops what a web process runs beside its requests."""

from __future__ import annotations

import asyncio
import contextvars

from django.conf import settings

from agents.delivery import hub
from agents.delivery.signals import ACCESS
from agents.protocol.topics import is_person, person_in
from agents.runtime.host import Host
from workspaces.terminals.host import terminals

LAST_WORDS = 2.0
_rechecks: set[asyncio.Future[None]] = set()


class WebProcess:
    """The hub's feed and, where no broker hands turns to workers, the host of turns."""

    def __init__(self) -> None:
        self._host: Host | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._started = False

    async def start(self) -> None:
        """Starts once, on the server's loop."""
        if self._started:
            return
        self._started = True
        hub.loop = asyncio.get_running_loop()
        hub.listeners.add(_heard)
        if settings.REDIS_URL:
            from agents.delivery import relay

            self._tasks.append(asyncio.create_task(relay.follow(hub), name="relay"))
        if not settings.BROKER_URL:
            self._host = Host()
            await self._host.start()

    async def stop(self) -> None:
        """Stops; running turns stay in the database."""
        tasks, self._tasks = self._tasks, []
        host, self._host = self._host, None
        for task in tasks:
            task.cancel()
        if host is not None:
            await host.stop()
        await asyncio.gather(*tasks, return_exceptions=True)
        if settings.REDIS_URL:
            from agents.delivery import relay

            await asyncio.to_thread(relay.flush, LAST_WORDS)
        self._started = False


def _heard(topic: str, name: str) -> None:
    """A person's rights changed, here or in another process: so do the shells of this one."""
    if name == ACCESS and is_person(topic):
        task = asyncio.create_task(
            terminals.recheck(person_in(topic)), context=contextvars.Context()
        )
        _rechecks.add(task)
        task.add_done_callback(_rechecks.discard)
