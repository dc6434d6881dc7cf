"""Signing in, slowed down where somebody guesses."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from maia_web.accounts.models import User
from maia_web.accounts.services.devices import Device
from maia_web.accounts.services.throttle import begin_attempt
from maia_web.lib import audit
from maia_web.lib.errors import InvalidInput


def sign_in(
    request: HttpRequest,
    username: str,
    password: str,
    address: str,
    now: datetime | None = None,
    *,
    device: Device | None = None,
) -> User:
    """Returns the person whose password this is.

    Raises `TooMuch` (with `retryAfter` in seconds) after five failures in an hour for this name
    from this address, ten for either alone, or five from a `device` the person signed in from, and
    `InvalidInput` with one text for unknown names, wrong passwords and closed accounts: Django
    hashes once in each of these cases.
    """
    now = now or timezone.now()
    name = User.normalize_username(username.strip())
    attempt = begin_attempt(name, address, device, now)
    user = authenticate(request, username=name, password=password)
    if not isinstance(user, User):
        _tell_refused(name)
        raise InvalidInput(_("The username or the password is wrong."), code="wrong-password")
    attempt.succeeded(user, now)
    audit.tell(audit.Happened("sign-in", "signed-in", user.pk))
    return user


def _tell_refused(name: str) -> None:
    """Keeps a failed sign-in of an account; what else is typed there is nobody's business."""
    known = User.objects.filter(username=name).values_list("pk", flat=True).first()
    if known is not None:
        audit.tell(audit.Happened("sign-in", "refused", known))
