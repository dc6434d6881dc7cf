"""The site's database as people know it, and locks that hold between processes on it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

# Advisory locks of PostgreSQL are two numbers: whose, and which one.
ADVISORY = 0x4D414941  # "MAIA"
MIGRATING, SERVING = 1, 2
_SQLITE_COLUMNS = """
SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
"""
_POSTGRES_COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = ANY (current_schemas(false))
"""


def is_sqlite() -> bool:
    """Whether the rows live in a file."""
    return connection.vendor == "sqlite"


def database_file() -> Path:
    """Returns the path of the SQLite database."""
    return Path(str(connection.settings_dict["NAME"]))


def database_name() -> str:
    """Returns what a person calls the database: its file, or its address without a password."""
    if is_sqlite():
        return str(database_file())
    at = connection.settings_dict
    port = f":{at['PORT']}" if at["PORT"] else ""
    return f"postgresql://{at['HOST'] or 'localhost'}{port}/{at['NAME']}"


def columns() -> set[tuple[str, str]]:
    """Returns (table, column) for all there are, by one question."""
    ask = _SQLITE_COLUMNS if is_sqlite() else _POSTGRES_COLUMNS
    with connection.cursor() as cursor:
        cursor.execute(ask)
        return set(cursor.fetchall())


@contextmanager
def only_one_migrates() -> Iterator[None]:
    """Lets one process after the other change the schema, on whatever machine it runs."""
    if is_sqlite():
        with locked_file("migrating") as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [ADVISORY, MIGRATING])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [ADVISORY, MIGRATING])


@contextmanager
def locked_file(name: str) -> Iterator[int]:
    """Gives the descriptor of an empty file beside the database, for flock."""
    path = database_file()
    path = path.with_name(f"{path.name}-{name}")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
