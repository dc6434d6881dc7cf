"""Backups: one archive of everything a site keeps, and its way back."""

from __future__ import annotations

import re

MANIFEST = "manifest.json"
FILES = "files/"
SQLITE_ROWS, POSTGRES_ROWS = "rows.sqlite3", "rows.pgdump"
FORMAT = 1


class Refused(Exception):
    """A backup or its restoring is not possible; the text is for people."""


LOST = "lost+found"  # a disk's own, where the folder is its root
# What a running server makes anew, and the disk's: nothing of it is kept.
_PASSING = re.compile(
    r"maia\.sqlite3(-.*)?|probe-.*|test\.sqlite3.*|local-model\.lock|" + re.escape(LOST)
)


def is_passing(name: str) -> bool:
    """Whether an entry of the data folder is the database (kept as rows) or only of the moment."""
    return _PASSING.fullmatch(name) is not None
