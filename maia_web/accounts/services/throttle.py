"""Throttle: guessing costs time by name and address together, and by each of them alone.

Nobody shuts another out (decision 0013): a device that a person signed in from waits for its own
failures only, and an address they signed in from does not wait for guesses made elsewhere.
"""

from __future__ import annotations

import ipaddress
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from maia_web.accounts.models import KnownAddress, SignInFailure, User
from maia_web.accounts.services.devices import Device
from maia_web.lib.errors import TooMuch

FREE_TRIES = 5
FREE_ALONE = 10
REMEMBERED = timedelta(hours=1)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=15)
ADDRESS_KNOWN = timedelta(days=90)


class Bucket(NamedTuple):
    """What failures are counted by, and how many are free within an hour."""

    key: str
    free: int


class Attempt(NamedTuple):
    """A sign-in that is counted as failed until it succeeds."""

    failures: list[SignInFailure]
    address: str

    def succeeded(self, user: User, now: datetime) -> None:
        """Takes the attempt back, forgets the failures of this place, and remembers the address."""
        SignInFailure.objects.filter(pk__in=[one.pk for one in self.failures]).delete()
        SignInFailure.objects.filter(key=self.failures[0].key).delete()
        KnownAddress.objects.filter(at__lt=now - ADDRESS_KNOWN).delete()
        KnownAddress.objects.update_or_create(
            user=user, network=_network_mark(self.address), defaults={"at": now}
        )


def begin_attempt(name: str, address: str, device: Device | None, now: datetime) -> Attempt:
    """Counts the attempt as failed before it is checked, so that parallel guesses count too.

    Raises `TooMuch` with `retryAfter` in seconds; an attempt that has to wait is not counted.
    """
    SignInFailure.objects.filter(at__lt=now - REMEMBERED).delete()
    counted = _buckets(name, address, device, now)
    failures = SignInFailure.objects.bulk_create(
        SignInFailure(key=bucket.key, at=now) for bucket in counted
    )
    pairs = zip(failures, counted, strict=True)
    until = max(_free_from(failure, bucket.free, now) for failure, bucket in pairs)
    if until > now:
        SignInFailure.objects.filter(pk__in=[one.pk for one in failures]).delete()
        seconds = int((until - now).total_seconds()) + 1
        raise TooMuch(_wait_text(seconds), code="too-many-attempts", retryAfter=seconds)
    return Attempt(failures, address)


def wait_after(failures: int, free: int = FREE_TRIES) -> timedelta:
    """Returns how long to wait after so many failures: nothing, then 1, 2, 4, 8, 15 minutes."""
    if failures < free:
        return timedelta(0)
    doublings: int = min(failures - free, 10)
    return min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def _buckets(name: str, address: str, device: Device | None, now: datetime) -> list[Bucket]:
    """Returns what counts for this attempt; its own place comes first."""
    if device is not None and device.knows(name):
        return [Bucket(_key("device", name, device.id), FREE_TRIES)]
    network = _network(address)
    found = [
        Bucket(_key(name, network), FREE_TRIES),
        Bucket(_key("address", network), FREE_ALONE),
    ]
    known = KnownAddress.objects.filter(
        user__username=name, network=_network_mark(address), at__gt=now - ADDRESS_KNOWN
    )
    if not known.exists():
        found.append(Bucket(_key("name", name), FREE_ALONE))
    return found


def _free_from(failure: SignInFailure, free: int, now: datetime) -> datetime:
    earlier = SignInFailure.objects.filter(key=failure.key, pk__lt=failure.pk).order_by("-at")
    times = list(earlier.values_list("at", flat=True)[: free + 10])
    return times[0] + wait_after(len(times), free) if times else now


def _wait_text(seconds: int) -> str:
    return _("Too many attempts. Try again in %(minutes)d min.") % {"minutes": -(-seconds // 60)}


def _key(*parts: str) -> str:
    return salted_hmac("maia-sign-in", "\0".join(parts), algorithm="sha256").hexdigest()


def _network_mark(address: str) -> str:
    return _key("known", _network(address))


def _network(address: str) -> str:
    """Returns the address, or the /64 of an IPv6 one: a single guest owns all of that."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
