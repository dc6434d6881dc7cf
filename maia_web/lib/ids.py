"""Sortable identifiers: 26 characters, in the order of their creation."""

from __future__ import annotations

from ulid import ULID

ID_LENGTH = 26


def new_id() -> str:
    """Returns a fresh identifier; later ones sort after earlier ones (to the millisecond)."""
    return str(ULID()).lower()
