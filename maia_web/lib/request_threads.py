"""The threads that carry out requests: a few are kept, each with its connection to the database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from asgiref.sync import ThreadSensitiveContext
from django.db import connections

from maia_web.lib.db import stay_connected

MOST_KEPT = 4


class RequestThreads:
    """Lends a thread to each request; as many run at once as there are requests.

    To start one, and to connect it, costs more than most requests. The one that was used last is
    lent first, so that in quiet times one connection is in use.
    """

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self._most_kept = most_kept
        self._idle: list[ThreadPoolExecutor] = []

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """What is synchronous within the block runs on one thread, which nobody else has."""
        try:
            thread = self._idle.pop()
        except IndexError:
            thread = ThreadPoolExecutor(1, "request", initializer=stay_connected)
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        except BaseException:
            thread.submit(self._take_back, thread)  # when it is done: it may be at work still
            raise
        self._take_back(thread)

    def _take_back(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < self._most_kept:
            self._idle.append(thread)
        else:
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)

    def close(self) -> None:
        """Ends those that are kept, and their connections."""
        while self._idle:
            thread = self._idle.pop()
            thread.submit(connections.close_all)
            thread.shutdown()


request_threads = RequestThreads()
"""The threads of this process."""
