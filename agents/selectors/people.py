"""The person behind a socket, as long as they are signed in."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.domain.messages import Person
from agents.selectors.values import person_value
from maia_web.accounts.models import User
from maia_web.accounts.selectors import present
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
    found = present(user_id, session_key)
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
