"""The only bridge between async code and the database.

Outside requests all that async code asks runs on one thread, in the order of asking.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import SyncToAsync
from channels.db import database_sync_to_async as in_db
from django.db import InterfaceError, OperationalError, connection

__all__ = ["UNREACHABLE", "in_db", "with_files"]

T = TypeVar("T")
P = ParamSpec("P")

UNREACHABLE = (OperationalError, InterfaceError)
"""What a question raises while the database is away: it may be asked again."""

KEEP_SECONDS = 600


def with_files(service: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """For a service that must look at files between its questions: in a thread of its own.

    Nobody's question waits for a disk. It opens a connection of its own, as a request does: what
    only reads files goes through `asyncio.to_thread`, what only asks the database through `in_db`.
    """
    return in_db(service, thread_sensitive=False)


def _stay_connected() -> None:
    """Keeps this thread's connection open: to open one costs more than most questions."""
    lasting = {"CONN_MAX_AGE": KEEP_SECONDS, "CONN_HEALTH_CHECKS": True}
    connection.settings_dict = {**connection.settings_dict, **lasting}


SyncToAsync.single_thread_executor = ThreadPoolExecutor(1, "database", initializer=_stay_connected)
