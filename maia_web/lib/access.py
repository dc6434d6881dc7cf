"""Access: tells whoever keeps sockets open that a person's rights changed.

Accounts and workspaces stand below the sockets and cannot call them; they say it here.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

_listeners: list[Callable[[int], None]] = []


def listen(callback: Callable[[int], None]) -> None:
    """`callback` gets the id of each person whose rights changed, once committed."""
    if callback not in _listeners:
        _listeners.append(callback)


def changed(user_id: int) -> None:
    """This person joined or left a workspace, has another role, was disabled or signed out."""
    transaction.on_commit(lambda: _tell(user_id))


def _tell(user_id: int) -> None:
    for callback in _listeners:
        callback(user_id)
