"""Invitations: links that make one account, once, within seven days."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from maia_web.accounts.models import Invitation, User
from maia_web.accounts.services.people import create_user
from maia_web.accounts.tokens import VALID_FOR, new_token, token_hash
from maia_web.lib.errors import NotFound


def invite(
    by: User, *, administrator: bool = False, note: str = "", now: datetime | None = None
) -> tuple[Invitation, str]:
    """Returns a new invitation and its token, which is shown once and never kept."""
    token = new_token()
    now = now or timezone.now()
    invitation = Invitation.objects.create(
        token_hash=token_hash(token),
        invited_by=by,
        administrator=administrator,
        note=note.strip(),
        created_at=now,
        expires_at=now + VALID_FOR,
    )
    return invitation, token


def accept_invitation(
    token: str,
    username: str,
    password: str,
    *,
    display_name: str = "",
    language: str = "",
    now: datetime | None = None,
) -> User:
    """Makes the account of an invitation; raises `NotFound` if it is used, over or unknown.

    Of two that come at once, one wins: the link is claimed by a conditional UPDATE. A refused
    name or password (`InvalidInput`) leaves it usable.
    """
    now = now or timezone.now()
    with transaction.atomic():
        row = Invitation.objects.filter(
            token_hash=token_hash(token), used_at=None, expires_at__gt=now
        )
        if not row.update(used_at=now):
            raise NotFound
        invitation = Invitation.objects.get(token_hash=token_hash(token))
        user = create_user(
            username,
            password,
            display_name=display_name,
            language=language,
            administrator=invitation.administrator,
        )
        invitation.used_by = user
        invitation.save(update_fields=["used_by"])
    return user


def withdraw_invitation(invitation_id: int) -> None:
    """Makes an unused invitation worthless; a used or unknown one is left alone."""
    Invitation.objects.filter(pk=invitation_id, used_at=None).delete()
