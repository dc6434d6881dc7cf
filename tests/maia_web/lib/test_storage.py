"""What disks and databases fail with is told in sentences."""

from __future__ import annotations

import errno
import logging
import sqlite3

import pytest
from django.db import DatabaseError, OperationalError
from django.utils import translation

from maia_web.lib import storage
from maia_web.lib.database import database_file
from maia_web.lib.logs import SafeFilter

SQLITE = [
    (sqlite3.SQLITE_FULL, "storage-full", 507),
    (sqlite3.SQLITE_READONLY_DBMOVED, "storage-read-only", 503),
    (sqlite3.SQLITE_CORRUPT, "storage-damaged", 503),
    (sqlite3.SQLITE_NOTADB, "storage-damaged", 503),
    (sqlite3.SQLITE_IOERR_READ, "storage-unreadable", 503),
    (sqlite3.SQLITE_BUSY, "unavailable", 503),
]


def of_django(code: int) -> Exception:
    """An error as Django raises it, around SQLite's."""
    inner = sqlite3.OperationalError("it failed")
    inner.sqlite_errorcode = code
    error = OperationalError("it failed")
    error.__cause__ = inner
    return error


@pytest.mark.parametrize(("code", "name", "status"), SQLITE)
def test_what_a_database_fails_with_is_a_sentence(code: int, name: str, status: int) -> None:
    found = storage.explain(of_django(code))
    assert found is not None
    assert (found.code, found.status) == (name, status)
    assert database_file().name in found.message
    with translation.override("fr"):
        translated = storage.explain(of_django(code))
    assert translated is not None
    assert translated.message != found.message


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
def test_what_a_disk_fails_with_is_told_wherever_it_comes_from(number: int) -> None:
    error = RuntimeError("while saving")
    error.__cause__ = OSError(number, "no", "/somewhere/else/notes.txt")
    found = storage.explain(error)
    assert found is not None
    assert "notes.txt" in found.message
    assert "somewhere" not in found.message


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        OSError(errno.ENOENT, "no"),
        OSError(errno.EIO, "no"),
        DatabaseError("no"),
        KeyError(),
    ],
)
def test_a_fault_of_the_program_stays_one(error: Exception) -> None:
    assert storage.explain(error) is None


def test_the_log_has_one_line_for_it() -> None:
    error = of_django(sqlite3.SQLITE_FULL)
    record = logging.LogRecord("x", logging.ERROR, "", 0, "a turn", (), (type(error), error, None))
    SafeFilter().filter(record)
    assert record.exc_info is None
    assert "no space left" in record.getMessage()
    assert database_file().name in record.getMessage()
