"""Devices: browsers that somebody signed in from, told by a sealed cookie.

A device is nobody's proof of who sits there: it only waits for its own failures, not for others'
(decision 0013).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.core import signing
from django.utils.crypto import salted_hmac

MAX_AGE = 180 * 24 * 3600
MOST_PEOPLE = 8
_SALT = "maia-device"


@dataclass(frozen=True, slots=True)
class Device:
    """A browser: its random name, and marks of those who signed in from it, the latest first."""

    id: str
    people: tuple[str, ...] = ()

    def knows(self, username: str) -> bool:
        """Returns whether this person signed in from here."""
        return _mark(username) in self.people

    def with_person(self, username: str) -> Device:
        """Returns the device after this person signed in."""
        others = tuple(mark for mark in self.people if mark != _mark(username))
        return Device(self.id, (_mark(username), *others)[:MOST_PEOPLE])

    def sealed(self) -> str:
        """Returns the text of its cookie."""
        return signing.dumps([self.id, *self.people], salt=_SALT)


def device_of(cookie: str) -> Device:
    """Returns the device of a cookie; a new one for none, a forged one and one that is too old."""
    try:
        name, *people = signing.loads(cookie, salt=_SALT, max_age=MAX_AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return Device(secrets.token_urlsafe(16))
    return Device(name, tuple(people))


def _mark(username: str) -> str:
    return salted_hmac("maia-device-person", username, algorithm="sha256").hexdigest()[:24]
