"""Questions about people."""

from __future__ import annotations

from datetime import datetime
from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from maia_web.accounts.models import Invitation, SetupToken, User
from maia_web.accounts.tokens import VALID_FOR, token_hash
from maia_web.lib.errors import NotFound


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


def still_signed_in(session_key: str, user_id: int) -> bool:
    """Returns whether a session is alive: not ended, same password, the account not closed.

    Long-lived connections ask this from time to time and close when it says no.
    """
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    if not store.exists(session_key) or str(store.get(SESSION_KEY)) != str(user_id):
        return False
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or store.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    return constant_time_compare(store.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
