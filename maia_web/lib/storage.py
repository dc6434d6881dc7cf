"""What disks and databases fail with, as sentences that name the thing and the remedy."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from django.db import Error
from django.utils.translation import gettext as _

from maia_web.lib.database import database_file, database_name, is_sqlite
from maia_web.lib.errors import MaiaError


class Cause(Enum):
    """What is wrong with a disk or the database; the value is the code for clients."""

    FULL = "storage-full"
    READ_ONLY = "storage-read-only"
    DAMAGED = "storage-damaged"
    UNREADABLE = "storage-unreadable"
    BUSY = "storage-busy"
    AWAY = "unavailable"
    UNFIT = "unfit-text"


_SYSTEM = {
    errno.ENOSPC: Cause.FULL,
    errno.EDQUOT: Cause.FULL,
    errno.EROFS: Cause.READ_ONLY,
    errno.EIO: Cause.UNREADABLE,
}
_SQLITE = {
    sqlite3.SQLITE_FULL: Cause.FULL,
    sqlite3.SQLITE_READONLY: Cause.READ_ONLY,
    sqlite3.SQLITE_PERM: Cause.READ_ONLY,
    sqlite3.SQLITE_CORRUPT: Cause.DAMAGED,
    sqlite3.SQLITE_NOTADB: Cause.DAMAGED,
    sqlite3.SQLITE_IOERR: Cause.UNREADABLE,
    sqlite3.SQLITE_CANTOPEN: Cause.UNREADABLE,
    sqlite3.SQLITE_BUSY: Cause.BUSY,
    sqlite3.SQLITE_LOCKED: Cause.BUSY,
}
_SQLSTATES = {
    "53100": Cause.FULL,  # disk_full
    "25006": Cause.READ_ONLY,  # read_only_sql_transaction
    "XX001": Cause.DAMAGED,  # data_corrupted
    "XX002": Cause.DAMAGED,  # index_corrupted
    "58030": Cause.UNREADABLE,  # io_error
    "55P03": Cause.BUSY,  # lock_not_available
}


Told = tuple[Cause, str]
"""The cause, and the name of the file or database."""


class StorageFailure(MaiaError):
    """A disk or the database refused, for a reason that lies outside the program."""

    status = 503


def explain(error: BaseException) -> StorageFailure | None:
    """Returns what to tell people where a disk or the database is the cause, else None.

    The file is named without its folder, which is none of most people's business.
    """
    found = _cause(error)
    if found is None:
        return None
    cause, file = found
    code = (Cause.AWAY if cause is Cause.BUSY else cause).value  # both: the same may work later
    failure = StorageFailure(_sentences()[cause] % {"file": file}, code=code)
    if cause is Cause.FULL:
        failure.status = 507
    if cause is Cause.UNFIT:
        failure.status = 422
    return failure


def told_in_full(error: BaseException | None) -> str:
    """Returns `explain` for administrators, with the database and what it said; "" for None."""
    found = explain(error) if error is not None else None
    if error is None or found is None:
        return ""
    return f"{found.message} ({database_name()}: {_first_line(error)})"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _sentences() -> dict[Cause, str]:
    return {
        Cause.FULL: _(
            "There is no space left on the disk that holds %(file)s. An administrator makes room "
            "there; then try again."
        ),
        Cause.READ_ONLY: _(
            "%(file)s cannot be written: its disk is read-only, or the server's account may not. "
            "An administrator changes that and starts MAIA again."
        ),
        Cause.DAMAGED: _(
            "%(file)s is damaged. An administrator stops MAIA and restores the last backup: "
            "manage.py restore FILE."
        ),
        Cause.UNREADABLE: _(
            "The disk that holds %(file)s cannot be read or written. An administrator looks at the "
            "disk and at the system's log, then starts MAIA again."
        ),
        Cause.BUSY: _("%(file)s is busy: something else has held it for too long. Try again."),
        Cause.AWAY: _(
            "The database is away. Try again in a moment; if it stays away, an administrator looks "
            "whether it runs and whether DATABASE_URL is right."
        ),
        Cause.UNFIT: _("A text has a character that cannot be kept (NUL). Send it without."),
    }


def _cause(error: BaseException) -> Told | None:
    """Returns the first cause that is known."""
    for each in _chain(error):
        for told in (_of_sqlite, _of_postgres, _of_system):
            found = told(each)
            if found is not None:
                return found
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


def _of_sqlite(error: BaseException) -> Told | None:
    if not isinstance(error, sqlite3.Error) or not is_sqlite():
        return None
    number = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says which kind of it
    code = _SQLITE.get(number)
    return (code, database_file().name) if code else None


def _of_postgres(error: BaseException) -> Told | None:
    """Django's errors stand for those of psycopg, which the locks between processes meet bare."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if is_sqlite() or not (isinstance(error, Error) or "sqlstate" in dir(error)):
        return None
    state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None) or ""
    code = Cause.UNFIT if "(0x00)" in str(error) else _SQLSTATES.get(state)
    if code is None and names & {"OperationalError", "InterfaceError"}:
        code = Cause.AWAY if not state or state[:2] in {"08", "53", "57"} else None
    return (code, database_name().rpartition("/")[2]) if code else None


def _of_system(error: BaseException) -> Told | None:
    if not isinstance(error, OSError):
        return None
    cause = _SYSTEM.get(error.errno or 0)
    name = error.filename if isinstance(error.filename, str) else ""
    if cause is None or (cause is Cause.UNREADABLE and not name):  # a terminal that ended says EIO
        return None
    return cause, Path(name).name or _("MAIA's data")
