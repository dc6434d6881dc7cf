"""Who else uses this database: without Redis a process must be the only one.

Its tabs would see nothing of what the others do. Each process holds a lock on the database for as
long as it lives, alone without REDIS_URL, shared with it; a kill lets go of it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from maia_web.lib.database import ADVISORY, SERVING, database_name, is_sqlite, locked_file

logger = logging.getLogger(__name__)
WAIT_SECONDS = 3.0  # a process that was killed a moment ago may still hold its lock
_AGAIN_SECONDS = 0.1
_RECONNECT_SECONDS = 2.0
# PostgreSQL finds out within half a minute that the machine of a process is gone.
_WATCHED = ("tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3")


class Taken(Exception):
    """Another process uses the database, and one of both has no Redis; the text is for people."""


@contextmanager
def present(*, alone: bool) -> Iterator[None]:
    """Holds this process's place on the database until the block ends; raises `Taken`.

    `alone`: it has no Redis, nobody may be beside it.
    """
    with (_on_file if is_sqlite() else _on_postgres)(alone):
        yield


@contextmanager
def _on_file(alone: bool) -> Iterator[None]:
    wanted = (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB
    with locked_file("serving") as descriptor:

        def take() -> bool:
            try:
                fcntl.flock(descriptor, wanted)
            except BlockingIOError:
                return False
            return True

        _take_or_refuse(take, alone)
        yield


@contextmanager
def _on_postgres(alone: bool) -> Iterator[None]:
    holder = _Holder(alone)
    try:
        _take_or_refuse(holder.take, alone)
        holder.keep()
        yield
    finally:
        holder.let_go()


def _take_or_refuse(take: Callable[[], bool], alone: bool) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not take():
        if time.monotonic() > end:
            raise Taken(_refusal(alone))
        time.sleep(_AGAIN_SECONDS)


def _refusal(alone: bool) -> str:
    if alone:
        return _(
            "Another MAIA uses the database %(database)s. Stop it; or give both the same "
            "REDIS_URL, so that each shows what happens in the other."
        ) % {"database": database_name()}
    return _(
        "A MAIA without REDIS_URL uses the database %(database)s. Stop it, and start it again with "
        "the same REDIS_URL as this one."
    ) % {"database": database_name()}


class _Holder:
    """A connection of its own that holds the lock, again after PostgreSQL restarted."""

    def __init__(self, alone: bool) -> None:
        self._alone = alone
        self._ended = False
        self._connection: Any = None  # psycopg's
        self._thread = threading.Thread(target=self._watch, name="presence", daemon=True)

    def take(self) -> bool:
        """Returns whether the lock is ours; connects first, and raises where that fails."""
        if self._connection is None:
            self._connection = _connect()
        function = "pg_try_advisory_lock" if self._alone else "pg_try_advisory_lock_shared"
        row = self._connection.execute(f"SELECT {function}({ADVISORY}, {SERVING})").fetchone()
        return bool(row[0])

    def keep(self) -> None:
        """Watches over the connection from now on, in a thread that sleeps while all is well."""
        self._thread.start()

    def let_go(self) -> None:
        """Ends the connection, and with it the lock."""
        self._ended = True
        if self._connection is not None and not self._connection.closed:
            with socket.socket(fileno=os.dup(self._connection.fileno())) as wire:
                wire.shutdown(socket.SHUT_RDWR)  # a close would wake nobody who waits for it
        if self._thread.is_alive():
            self._thread.join(_RECONNECT_SECONDS)

    def _watch(self) -> None:
        import psycopg

        while not self._ended:
            try:
                lost = self._connection is None
                if lost and not self.take():
                    logger.error("%s", _refusal(self._alone))
                    self._connection.close()
                else:
                    select.select([self._connection], [], [])  # it says nothing but that it ended
                self._connection.execute("SELECT 1")
            except psycopg.Error:
                self._connection = None
                if not self._ended:
                    time.sleep(_RECONNECT_SECONDS)


def _connect() -> Any:
    opened = connection.get_new_connection(connection.get_connection_params())
    opened.autocommit = True
    for setting in _WATCHED:
        opened.execute(f"SET {setting}")
    return opened
