"""Questions about people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from maia_web.accounts.models import Invitation, SetupToken, User
from maia_web.accounts.session_store import SessionStore, content_of
from maia_web.accounts.tokens import VALID_FOR, token_hash
from maia_web.lib.errors import NotFound
from maia_web.lib.fixed import Fixed

RENEWED_KEY = "maia-renewed"
"""In what is left of a renewed session: the key under which it goes on."""
MOST_RENEWALS = 20


def administrator_exists() -> bool:
    """Returns whether anybody administers the site, even if switched off."""
    return User.objects.filter(is_staff=True).exists()


def people() -> QuerySet[User]:
    """Returns everybody, by name."""
    return User.objects.order_by("username")


def person(user_id: int) -> User:
    """Returns one person; raises `NotFound`."""
    found = User.objects.filter(pk=user_id).first()
    if found is None:
        raise NotFound
    return found


def open_invitations(now: datetime | None = None) -> QuerySet[Invitation]:
    """Returns the invitations that may still be used, newest first."""
    now = now or timezone.now()
    rows = Invitation.objects.filter(used_at=None, expires_at__gt=now)
    return rows.select_related("invited_by").order_by("-created_at")


def invitation(token: str, now: datetime | None = None) -> Invitation:
    """Returns the invitation of a link; raises `NotFound` if it is used, over or unknown."""
    found = open_invitations(now).filter(token_hash=token_hash(token)).first()
    if found is None:
        raise NotFound
    return found


def setup_open(token: str) -> bool:
    """Returns whether this link may still make the first administrator."""
    since = timezone.now() - VALID_FOR
    rows = SetupToken.objects.filter(token_hash=token_hash(token), used_at=None)
    return rows.filter(created_at__gt=since).exists() and not administrator_exists()


def setup_unfinished(token: str, user: User) -> bool:
    """Returns whether this person used the link and has not finished the wizard."""
    rows = SetupToken.objects.filter(token_hash=token_hash(token), used_by=user, finished_at=None)
    return user.is_administrator and rows.exists()


def session_now(session_key: str, user: User) -> str | None:
    """Returns under which key a session is alive now, None once it has ended.

    Ended: signed out, expired, the password or the epoch is another, the account is closed.
    Long-lived connections ask this whenever rights change, and from time to time. A session that
    was renewed (`services.renew_session`) is followed to its new key.
    """
    for _renewal in range(MOST_RENEWALS):
        content = content_of(session_key) or {}
        if SESSION_KEY in content or RENEWED_KEY not in content:
            return session_key if _is_of(content, user) else None
        session_key = content[RENEWED_KEY]
    return None


@dataclass(frozen=True, slots=True)
class Present:
    """A person who is there, and the key of their session now, None where there is none."""

    user: User
    session: str | None


def present(user_id: int, session_key: str | None) -> Present | None:
    """Returns the person as long as their account is open and their session, if any, alive."""
    user = _account(user_id)
    if user is None or not user.is_active:
        return None
    if not session_key:
        return Present(user, None)
    now = session_now(session_key, user)
    return Present(user, now) if now else None


def signed_in(cookies: Mapping[str, str]) -> Present | None:
    """Returns who the session of a request's cookies stands for; None where it is over.

    Two questions, as for a page: the session, its person. A session that was renewed is not
    followed: its old key opens nothing any more.
    """
    key = SessionStore(cookies.get(settings.SESSION_COOKIE_NAME)).session_key
    user = person_of(content_of(key) or {}) if key else None
    return Present(user, key) if user else None


def person_of(session: Mapping[str, Any] | SessionBase) -> User | None:
    """Returns whose session this is, by what it holds; None where it is nobody's any more."""
    user = _account(int(session[SESSION_KEY])) if SESSION_KEY in session else None
    return user if user and _is_of(session, user) else None


def _account(user_id: int) -> User | None:
    row = _ACCOUNT.first(user_id)
    return User.from_db("default", _COLUMNS, row) if row else None


_COLUMNS = [field.attname for field in User._meta.concrete_fields]
_ACCOUNT = Fixed(lambda user: User.objects.filter(pk=user).values_list(*_COLUMNS))


def _is_of(content: Mapping[str, Any] | SessionBase, user: User) -> bool:
    if not user.is_active or str(content.get(SESSION_KEY)) != str(user.pk):
        return False
    if content.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    return constant_time_compare(content.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
