"""Sessions in the database; a cookie that is no key is nobody's, whatever characters it has."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from maia_web.lib.fixed import Fixed


class SessionStore(db.SessionStore):
    """Django's, which would ask PostgreSQL for a key with a NUL, and get an error."""

    def load(self) -> dict[str, Any]:
        """Returns what the session holds; one that is not there, or over, begins anew."""
        content = content_of(self.session_key) if self.session_key else None
        if content is None:
            self._session_key = None
        return content or {}

    def _validate_session_key(self, key: str | None) -> bool:
        valid: bool = super()._validate_session_key(key)  # type: ignore[misc]
        return valid and key is not None and key.isascii() and key.isalnum()


def content_of(key: str) -> dict[str, Any] | None:
    """Returns what is kept under a key now; None where nothing is, or its time is over."""
    data, ends = _SESSION.first(key) or ("", timezone.now())
    return SessionStore().decode(data) if ends > timezone.now() else None


_SESSION = Fixed(
    lambda key: Session.objects.filter(session_key=key).values_list("session_data", "expire_date")
)
