"""The only bridge between async code and the database.

Outside requests all that async code asks runs on one thread, in the order of asking.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import AsyncToSync, SyncToAsync, _restore_context
from channels.db import DatabaseSyncToAsync
from django.db import (
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
    connections,
)

__all__ = ["UNREACHABLE", "in_db", "with_files"]

T = TypeVar("T")
P = ParamSpec("P")

UNREACHABLE = (OperationalError, InterfaceError)
"""What a question raises while the database is away: it may be asked again."""

KEEP_SECONDS = 600


def in_db(ask: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """`ask` as a coroutine function that runs on the database's thread; same arguments, result.

    Within a request, or below a thread that waits for it, asgiref says in which thread it runs.
    """

    async def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        if _has_a_thread(loop):
            elsewhere: Callable[P, Coroutine[Any, Any, T]] = DatabaseSyncToAsync(ask)
            return await elsewhere(*args, **kwargs)
        context = contextvars.copy_context()
        question = partial(_answered, loop, context, partial(ask, *args, **kwargs))
        return await loop.run_in_executor(DATABASE, partial(context.run, question))

    return asked


def _has_a_thread(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether asgiref would run what is synchronous here in another thread than the database's."""
    return bool(
        getattr(AsyncToSync.executors, "current", None)
        or SyncToAsync.thread_sensitive_context.get(None)
        or loop in AsyncToSync.loop_thread_executors
    )


def _answered(
    loop: asyncio.AbstractEventLoop, context: contextvars.Context, ask: Callable[[], T]
) -> T:
    """Asks as asgiref and channels do, for half of their time: there are ten questions a turn.

    What is translated stays in the language of whoever asks.
    """
    SyncToAsync.threadlocal.main_event_loop = loop
    SyncToAsync.threadlocal.main_event_loop_pid = os.getpid()
    _restore_context(context)
    close_old_connections()
    return ask()


def with_files(service: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """For a service that must look at files between its questions: in a thread of its own.

    Nobody's question waits for a disk. It opens a connection of its own, as a request does: what
    only reads files goes through `asyncio.to_thread`, what only asks the database through `in_db`.
    """

    @wraps(service)
    def act(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return service(*args, **kwargs)
        finally:
            connections.close_all()

    asked: Callable[P, Coroutine[Any, Any, T]] = DatabaseSyncToAsync(act, thread_sensitive=False)
    return asked


def stay_connected() -> None:
    """Keeps this thread's connection open: to open one costs more than most questions."""
    lasting = {"CONN_MAX_AGE": KEEP_SECONDS, "CONN_HEALTH_CHECKS": True}
    connection.settings_dict = {**connection.settings_dict, **lasting}


DATABASE = ThreadPoolExecutor(1, "database", initializer=stay_connected)
SyncToAsync.single_thread_executor = DATABASE
