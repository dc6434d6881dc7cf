"""Starts and stops what a web process runs beside its requests."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import signal
from contextlib import suppress
from typing import Any

from django.conf import settings

from agents.delivery import hub
from agents.delivery.signals import ACCESS
from agents.protocol.topics import is_person, person_in
from maia_web.lib import late

logger = logging.getLogger(__name__)
LAST_WORDS = 2.0
UNASKED = 1.0  # seconds after which the rest is loaded although nobody has asked for a page
_host = late.Module("agents.runtime.host")
_rechecks: set[asyncio.Future[None]] = set()


class WebProcess:
    """The hub's feed and, where no broker hands turns to workers, the host of turns."""

    def __init__(self) -> None:
        self._host: Any = None
        self._asked = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._started = False

    async def start(self) -> None:
        """Starts once, on the server's loop."""
        if self._started:
            return
        self._started = True
        self._asked = asyncio.Event()
        hub.loop = asyncio.get_running_loop()
        hub.listeners.add(_heard)
        if settings.REDIS_URL:
            from agents.delivery import relay

            self._tasks.append(asyncio.create_task(relay.follow(hub), name="relay"))
        self._tasks.append(asyncio.create_task(self._follow_up(), name="follow-up"))

    def answered(self) -> None:
        """Somebody has got the first page, or has come by a socket: the rest is loaded."""
        self._asked.set()

    async def _follow_up(self) -> None:
        """Loads the rest, and starts the host of turns: what was queued meanwhile it finds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(UNASKED):
                await self._asked.wait()
        try:
            if not settings.BROKER_URL:
                self._host = (await asyncio.to_thread(_host.load)).Host()
                await self._host.start()
            await asyncio.to_thread(late.load_all)
        except Exception:
            logger.exception("a part of MAIA could not be loaded")
            os.kill(os.getpid(), signal.SIGTERM)

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
        from workspaces.terminals.host import terminals  # late, as all that sockets need

        task = asyncio.create_task(
            terminals.recheck(person_in(topic)), context=contextvars.Context()
        )
        _rechecks.add(task)
        task.add_done_callback(_rechecks.discard)
