"""The rows of a site, in and out of an archive: SQLite by its backup API, PostgreSQL by pg_dump."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection
from django.utils.translation import gettext as _

from maia_web.lib.database import database_file, database_name, is_sqlite
from maia_web.management.backups import POSTGRES_ROWS, SQLITE_ROWS, Refused

_PAGES_AT_ONCE = 4_096  # 16 MB; between them the server writes


def member_name() -> str:
    """Returns how the rows are called in an archive of this site."""
    return SQLITE_ROWS if is_sqlite() else POSTGRES_ROWS


def size() -> int:
    """Returns about how many bytes the rows are."""
    if is_sqlite():
        return database_file().stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def take_out(target: Path) -> None:
    """Copies all rows as they are at one moment, while the server runs, into a new file."""
    if is_sqlite():
        with closing(sqlite3.connect(database_file())) as source, _database(target) as copy:
            source.backup(copy, pages=_PAGES_AT_ONCE)
            _check(copy)
    else:
        _client("pg_dump", "--format=custom", f"--file={target}")


def put_back(source: Path) -> None:
    """Makes the rows of an archive those of this site, whose database is empty."""
    if is_sqlite():
        with closing(sqlite3.connect(source)) as rows, _database(database_file()) as database:
            rows.backup(database)
            _check(database)
    else:
        words = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
        _client("pg_restore", *words, f"--dbname={connection.settings_dict['NAME']}", str(source))


def check_empty() -> None:
    """Raises `Refused` unless there is no row anywhere."""
    if is_sqlite():
        path = database_file()
        filled = path.exists() and path.stat().st_size > 0
    else:
        filled = bool(connection.introspection.table_names())
    if filled:
        raise Refused(
            _(
                "The database %(database)s is not empty. Make a new one, and name it in "
                "DATABASE_URL."
            )
            % {"database": database_name()}
        )


def _database(path: Path) -> closing[sqlite3.Connection]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    return closing(sqlite3.connect(path))


def _check(database: sqlite3.Connection) -> None:
    found = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise Refused(
            _("The database is damaged (%(what)s). Restore the last backup that is not.")
            % {"what": found}
        )


def _client(program: str, *words: str) -> None:
    """Runs a program of PostgreSQL; the password goes by the environment, which nobody reads."""
    path = shutil.which(program) or _newest(program)
    if path is None:
        raise Refused(
            _("%(program)s was not found: install PostgreSQL's client (Debian: postgresql-client).")
            % {"program": program}
        )
    at = connection.settings_dict
    named = {"PGHOST": at["HOST"], "PGPORT": at["PORT"], "PGUSER": at["USER"]}
    named |= {"PGPASSWORD": at["PASSWORD"], "PGDATABASE": at["NAME"]}
    environment = {**os.environ, **{name: str(value) for name, value in named.items() if value}}
    done = subprocess.run(
        [path, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [str(done.returncode)])[-1]
        raise Refused(
            _("%(program)s of %(database)s failed: %(why)s")
            % {"program": program, "database": database_name(), "why": why}
        )


def _newest(program: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(found[-1]) if found else None
