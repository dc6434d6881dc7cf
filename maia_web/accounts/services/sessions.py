"""Sessions: how they end, and how one's own goes on when one ends all the others."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from maia_web.accounts.models import User
from maia_web.accounts.selectors import RENEWED_KEY
from maia_web.accounts.services.preferences import change_password
from maia_web.lib import access

FOLLOWED_FOR = timedelta(hours=1)


@transaction.atomic
def sign_out(request: HttpRequest) -> None:
    """Ends the session of a request, and with it what is open in it, in every process."""
    user_id = request.user.pk
    logout(request)
    if user_id is not None:
        access.changed(user_id)


def sign_out_everywhere(user: User) -> None:
    """Ends every session of the person."""
    User.objects.filter(pk=user.pk).update(sessions_epoch=F("sessions_epoch") + 1)
    user.refresh_from_db(fields=["sessions_epoch"])
    access.changed(user.pk)


@transaction.atomic
def end_other_sessions(request: HttpRequest, user: User) -> None:
    """Ends every session of the person but the one of this request."""
    sign_out_everywhere(user)
    renew_session(request, user)


@transaction.atomic
def change_own_password(request: HttpRequest, user: User, current: str, new: str) -> None:
    """Sets a new password and ends the other sessions; raises `InvalidInput` naming the field."""
    change_password(user, current, new)
    renew_session(request, user)


def renew_session(request: HttpRequest, user: User) -> None:
    """Lets a session go on under a new key, in the transaction that ends the person's others.

    A stolen copy of the old key opens nothing any more. What is open in this session follows by
    what is left under the old one (`selectors.session_now`), which signs nobody in.
    """
    old = request.session.session_key
    update_session_auth_hash(request, user)
    request.session.save()
    if old and old != request.session.session_key:
        left = {RENEWED_KEY: request.session.session_key}
        Session.objects.save(old, left, timezone.now() + FOLLOWED_FOR)
