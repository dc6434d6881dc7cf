"""Sessions in the database; a cookie that is no key is nobody's, whatever characters it has."""

from __future__ import annotations

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Django's, which would ask PostgreSQL for a key with a NUL, and get an error."""

    def _validate_session_key(self, key: str | None) -> bool:
        valid: bool = super()._validate_session_key(key)  # type: ignore[misc]
        return valid and key is not None and key.isascii() and key.isalnum()
