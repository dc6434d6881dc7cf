"""What every process of the site checks before it starts; it says why where it cannot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from maia_web.lib import free_space, storage
from maia_web.lib.database import database_file, is_sqlite
from maia_web.lib.presence import Taken, present
from maia_web.lib.schema import Unfit

# A larger file would make people wait; `manage.py backup` reads all of it.
CHECKED_MB = 256


@contextmanager
def begun() -> Iterator[None]:
    """Holds this process's place on the database while the block runs.

    Raises CommandError, a sentence that names the thing and the remedy: for a disk that is full or
    read-only, a database that is away, damaged, used by another process or of another release.
    """
    with ExitStack() as held:
        try:
            _check_disk()
            connection.ensure_connection()
            held.enter_context(present(alone=not settings.REDIS_URL))
            yield
        except (Taken, Unfit, free_space.NoRoom) as refused:
            raise CommandError(str(refused)) from refused
        except Exception as error:
            sentence = storage.told_in_full(error)
            if not sentence:
                raise
            raise CommandError(sentence) from error


def _check_disk() -> None:
    free_space.check_start(settings.DATA)
    if is_sqlite() and database_file().stat().st_size <= CHECKED_MB * free_space.MB:
        _check_rows()


def _check_rows() -> None:
    """Raises where SQLite says that its file is damaged."""
    with connection.cursor() as cursor:
        found = cursor.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        damaged = sqlite3.DatabaseError(found)
        damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damaged
