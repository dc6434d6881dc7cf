"""Signals: what the server's side of sockets is told; their names, as they pass between processes.

A signal says that something changed, not what: whoever hears it asks the database.
"""

from __future__ import annotations

LIST = "channels"
"""To a person: which conversations they see, or with which rights, has changed."""
ACCESS = "access"
"""To a person: they may have lost rights; nothing goes out before these are read."""
CHANNEL = "channel"
"""To a channel: what it is in lists has changed."""
FEWER = "fewer"
"""The same, and messages of it that may have counted as unread are gone."""
AGAIN = "again"
"""To a channel: an answer streams whose beginning no snapshot could tell so far."""
LOST = "lost"
"""To everybody: frames and signals may be missing."""

_READ = "read "


def read_signal(channel_id: str) -> str:
    """To a person: they have read further in a channel."""
    return _READ + channel_id


def channel_read(name: str) -> str | None:
    """Returns the channel of such a signal, None if it is another."""
    return name.removeprefix(_READ) if name.startswith(_READ) else None
