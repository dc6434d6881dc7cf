"""Sortable identifiers: 26 characters, in the order of their creation."""

from __future__ import annotations

import threading

from ulid import ULID

ID_LENGTH = 26
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Returns a fresh identifier; within a process later ones always sort after earlier ones."""
    global _last  # two ids of one millisecond must still be in order
    with _lock:
        _last = max(int(ULID()), _last + 1)
        return str(ULID.from_int(_last)).lower()
