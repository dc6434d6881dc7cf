"""Audit: tells whoever keeps the record what happened to people and their rights.

Accounts and workspaces stand below the record and cannot write it; they say it here. What is
told is written at once, so in the transaction of what it tells.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

came_from: ContextVar[str] = ContextVar("came_from", default="")
"""The address of the browser whose request is being answered; "" for the server's own work."""


@dataclass(frozen=True, slots=True)
class Happened:
    """Something to keep: its kind ("sign-in", "role"), what it was, who did it, and where."""

    kind: str
    outcome: str
    user: int | None = None
    workspace: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


_listeners: list[Callable[[Happened], None]] = []


def listen(callback: Callable[[Happened], None]) -> None:
    """`callback` gets everything that is told from now on."""
    if callback not in _listeners:
        _listeners.append(callback)


def tell(happened: Happened) -> None:
    """Hands something to whoever keeps the record."""
    for callback in _listeners:
        callback(happened)
