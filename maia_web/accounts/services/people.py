"""Accounts: making them, switching them off, and who administers the site."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from maia_web.accounts.models import User
from maia_web.lib import access, audit
from maia_web.lib.errors import Conflict, InvalidInput


def create_user(
    username: str,
    password: str,
    *,
    display_name: str = "",
    language: str = "",
    administrator: bool = False,
) -> User:
    """Makes an account; raises `InvalidInput` whose `field` and `reasons` say what is wrong."""
    user = User(
        username=User.normalize_username(username.strip()),
        display_name=display_name.strip(),
        language=language,
        is_staff=administrator,
    )
    _check(user, password)
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            _tell("administrator" if administrator else "joined", user, user.pk)
    except IntegrityError:
        raise _taken() from None
    return user


def set_active(user: User, active: bool, *, by: int | None = None) -> None:
    """Lets a person in or keeps them out; raises `Conflict` for the last administrator.

    Who is let in again signs in again: keeping somebody out ends their sessions for good.
    """
    with transaction.atomic():
        if not active:
            _keep_one_administrator(user)
            User.objects.filter(pk=user.pk).update(sessions_epoch=F("sessions_epoch") + 1)
        User.objects.filter(pk=user.pk).update(is_active=active)
        _tell("enabled" if active else "disabled", user, by)
        access.changed(user.pk)


def set_administrator(user: User, administrator: bool, *, by: int | None = None) -> None:
    """Gives or takes the right to administer the site; the last administrator keeps it."""
    with transaction.atomic():
        if not administrator:
            _keep_one_administrator(user)
        User.objects.filter(pk=user.pk).update(is_staff=administrator)
        _tell("administrator" if administrator else "member", user, by)
        access.changed(user.pk)


def _tell(what: str, user: User, by: int | None) -> None:
    audit.tell(audit.Happened("role", what, by, facts={"person": user.username}))


def _keep_one_administrator(leaving: User) -> None:
    administrators = User.objects.select_for_update().filter(is_staff=True, is_active=True)
    remaining = [user for user in administrators.order_by("pk") if user.pk != leaving.pk]
    if not remaining:
        raise Conflict(_("Somebody must remain administrator."), code="last-administrator")


def _check(user: User, password: str) -> None:
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        field, reasons = next(iter(error.message_dict.items()))
        raise InvalidInput(reasons[0], field=field, reasons=reasons) from None
    if User.objects.filter(username__iexact=user.username).exists():
        raise _taken()
    try:
        validate_password(password, user)
    except ValidationError as error:
        reasons = list(error.messages)
        raise InvalidInput(reasons[0], field="password", reasons=reasons) from None


def _taken() -> InvalidInput:
    text = _("This username is taken.")
    return InvalidInput(text, field="username", reasons=[text])
