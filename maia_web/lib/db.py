"""The only bridge between async code and the database.

Outside requests all that async code asks runs on one thread, in the order of asking.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import SyncToAsync
from channels.db import DatabaseSyncToAsync
from django.db import InterfaceError, OperationalError, connection, connections

__all__ = ["UNREACHABLE", "in_db", "with_files"]

T = TypeVar("T")
P = ParamSpec("P")

UNREACHABLE = (OperationalError, InterfaceError)
"""What a question raises while the database is away: it may be asked again."""

KEEP_SECONDS = 600


def in_db(ask: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """`ask` as a coroutine function that runs on the database's thread; same arguments, result."""
    asked: Callable[P, Coroutine[Any, Any, T]] = DatabaseSyncToAsync(ask)
    return asked


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


SyncToAsync.single_thread_executor = ThreadPoolExecutor(1, "database", initializer=stay_connected)
