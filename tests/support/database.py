"""What tests ask of the database besides rows: what was asked of it, and by whom else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Thread
from typing import Any

from django.db import connection, connections

from maia_web.lib.db import in_db


class Undone(Exception):
    """Ends a transaction that changes nothing."""


def elsewhere(act: Callable[[], object]) -> None:
    """Does something as another process would: on a connection of its own."""

    def run() -> None:
        try:
            act()
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.start()
    thread.join()


@asynccontextmanager
async def statements() -> AsyncIterator[list[str]]:
    """Collects what is asked on the thread of the database."""
    asked: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        asked.append(sql)
        return execute(sql, *rest)

    await in_db(lambda: connection.execute_wrappers.append(note))()
    yield asked
    await in_db(lambda: connection.execute_wrappers.remove(note))()
