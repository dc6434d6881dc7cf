"""The person behind a socket, as long as they are signed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.domain.content.messages import Person
from agents.selectors.values import person_value
from maia_web.accounts.models import User
from maia_web.accounts.selectors import Present, present, signed_in
from maia_web.lib.errors import NotAllowed, NotFound


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is there; `session` is the key of their sign-in, None for a token."""

    id: int
    person: Person
    administrator: bool
    language: str
    session: str | None


def visitor(user_id: int, session_key: str | None) -> Visitor:
    """Returns the person; raises `NotFound` once they signed out or were disabled.

    A session that was renewed is followed to its new key.
    """
    return _visitor(present(user_id, session_key))


def visitor_with(cookies: Mapping[str, str]) -> Visitor:
    """Returns who comes with these cookies; raises `NotFound` if nobody is signed in with them."""
    return _visitor(signed_in(cookies))


def _visitor(found: Present | None) -> Visitor:
    if found is None:
        raise NotFound(_("You are signed out."))
    user = found.user
    return Visitor(
        id=user.pk,
        person=person_value(user),
        administrator=user.is_administrator,
        language=user.language,
        session=found.session,
    )


def is_administrator(user_id: int) -> bool:
    """Returns whether this person administers the site."""
    return User.objects.filter(pk=user_id, is_active=True, is_staff=True).exists()


def administrator(user_id: int) -> int:
    """Returns the id of an administrator; raises `NotAllowed` for anybody else."""
    if not is_administrator(user_id):
        raise NotAllowed(_("Only administrators may do this."))
    return user_id
