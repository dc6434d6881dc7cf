"""Starts and stops what a web process runs beside its requests."""

from __future__ import annotations

import asyncio
import contextvars

from django.conf import settings

from agents.hub import hub
from agents.protocol.topics import person_topic
from agents.publish import signal
from agents.runtime.host import Host
from maia_web.lib import access
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
        access.listen(_access_changed)
        if settings.REDIS_URL:
            from agents import relay

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
            from agents import relay

            await asyncio.to_thread(relay.flush, LAST_WORDS)
        self._started = False


def _access_changed(user_id: int) -> None:
    """Sockets check again at once, and so do the shells of this process."""
    signal(person_topic(user_id), "access")
    loop = hub.loop
    if loop is not None and not loop.is_closed():
        loop.call_soon_threadsafe(_recheck_terminals, user_id, context=contextvars.Context())


def _recheck_terminals(user_id: int) -> None:
    task = asyncio.ensure_future(terminals.recheck(user_id))
    _rechecks.add(task)
    task.add_done_callback(_rechecks.discard)
