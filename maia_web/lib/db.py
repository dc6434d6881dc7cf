"""The only bridge between async code and the database."""

from __future__ import annotations

from channels.db import database_sync_to_async as in_db

__all__ = ["in_db"]
