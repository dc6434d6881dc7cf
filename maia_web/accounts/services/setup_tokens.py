"""The first start: a one-time link that makes the first administrator."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from maia_web.accounts.models import SetupToken, User
from maia_web.accounts.selectors import administrator_exists
from maia_web.accounts.services.people import create_user
from maia_web.accounts.tokens import VALID_FOR, new_token, token_hash
from maia_web.lib.errors import NotFound


def setup_link() -> str | None:
    """Returns a fresh set-up address, or None once there is an administrator.

    Links of earlier starts stay good for seven days, until one of them is used.
    """
    if administrator_exists():
        return None
    SetupToken.objects.filter(created_at__lt=timezone.now() - VALID_FOR, used_at=None).delete()
    token = new_token()
    SetupToken.objects.create(token_hash=token_hash(token))
    return f"{settings.ORIGINS[0]}{reverse('setup', args=[token])}"


def use_setup_token(
    token: str, username: str, password: str, *, display_name: str = "", language: str = ""
) -> User:
    """Makes the first administrator and spends every set-up link; raises `NotFound` if too late.

    A refused name or password (`InvalidInput`) leaves the link usable.
    """
    now = timezone.now()
    with transaction.atomic():
        unused = SetupToken.objects.select_for_update().filter(used_at=None).order_by("pk")
        rows = [row for row in unused if row.created_at > now - VALID_FOR]
        mine = next((row for row in rows if row.token_hash == token_hash(token)), None)
        if mine is None or administrator_exists():
            raise NotFound
        user = create_user(
            username, password, display_name=display_name, language=language, administrator=True
        )
        SetupToken.objects.exclude(pk=mine.pk).filter(used_at=None).delete()
        mine.used_at, mine.used_by = now, user
        mine.save(update_fields=["used_at", "used_by"])
    return user


def finish_setup(token: str, user: User) -> None:
    """Closes the wizard for good."""
    SetupToken.objects.filter(token_hash=token_hash(token), used_by=user).update(
        finished_at=timezone.now()
    )
