"""Signing in, slowed down where somebody guesses."""

from __future__ import annotations

import hashlib
import ipaddress
from datetime import datetime, timedelta

from django.contrib.auth import authenticate
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from maia_web.accounts.models import SignInFailure, User
from maia_web.lib import audit
from maia_web.lib.errors import InvalidInput, TooMuch

FREE_TRIES = 5
REMEMBERED = timedelta(hours=1)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=15)


def sign_in(
    request: HttpRequest, username: str, password: str, address: str, now: datetime | None = None
) -> User:
    """Returns the person whose password this is.

    Raises `TooMuch` (with `retryAfter` in seconds) after five failures in a minute for this
    name from this address, and `InvalidInput` with one text for unknown names, wrong passwords
    and closed accounts: Django hashes once in each of these cases.
    """
    now = now or timezone.now()
    name = User.normalize_username(username.strip())
    attempt = _count_attempt(_key(name, address), now)
    user = authenticate(request, username=name, password=password)
    if not isinstance(user, User):
        _tell_refused(name)
        raise InvalidInput(_("The username or the password is wrong."), code="wrong-password")
    SignInFailure.objects.filter(key=attempt.key).delete()
    audit.tell(audit.Happened("sign-in", "signed-in", user.pk))
    return user


def wait_after(failures: int) -> timedelta:
    """Returns how long to wait after so many failures: nothing, then 1, 2, 4, 8, 15 minutes."""
    if failures < FREE_TRIES:
        return timedelta(0)
    doublings: int = min(failures - FREE_TRIES, 10)
    return min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def _tell_refused(name: str) -> None:
    """Keeps a failed sign-in of an account; what else is typed there is nobody's business."""
    known = User.objects.filter(username=name).values_list("pk", flat=True).first()
    if known is not None:
        audit.tell(audit.Happened("sign-in", "refused", known))


def _count_attempt(key: str, now: datetime) -> SignInFailure:
    """Counts the attempt as failed before it is checked, so that parallel guesses count too."""
    SignInFailure.objects.filter(at__lt=now - REMEMBERED).delete()
    attempt = SignInFailure.objects.create(key=key, at=now)
    earlier = SignInFailure.objects.filter(key=key, pk__lt=attempt.pk).order_by("-at")
    times = list(earlier.values_list("at", flat=True)[:20])
    until = times[0] + wait_after(len(times)) if times else now
    if until > now:
        attempt.delete()
        seconds = int((until - now).total_seconds()) + 1
        raise TooMuch(_wait_text(seconds), code="too-many-attempts", retryAfter=seconds)
    return attempt


def _wait_text(seconds: int) -> str:
    return _("Too many attempts. Try again in %(minutes)d min.") % {"minutes": -(-seconds // 60)}


def _key(username: str, address: str) -> str:
    return hashlib.sha256(f"{username}\0{_network(address)}".encode()).hexdigest()


def _network(address: str) -> str:
    """Returns the address, or the /64 of an IPv6 one: a single guest owns all of that."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
