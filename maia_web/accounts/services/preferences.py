"""What people change of their own accounts."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from maia_web.accounts.models import User
from maia_web.lib import access
from maia_web.lib.errors import InvalidInput

THEMES = ("", "light", "dark")


def choose_language(user: User, language: str) -> None:
    """Keeps the language; "" is the browser's; raises `InvalidInput` for others than ours."""
    if language and language not in dict(settings.LANGUAGES):
        raise InvalidInput(_("This language is not there."), field="language")
    user.language = language
    user.save(update_fields=["language"])


def choose_theme(user: User, theme: str) -> None:
    """Keeps the theme; "" is the system's; raises `InvalidInput` for unknown ones."""
    if theme not in THEMES:
        raise InvalidInput(_("This theme is not there."), field="theme")
    user.theme = theme
    user.save(update_fields=["theme"])


def change_name(user: User, name: str) -> None:
    """Keeps the name others see, at most 80 characters; raises `InvalidInput`."""
    user.display_name = name.strip()
    try:
        user.clean_fields(exclude=["password", "username"])
    except ValidationError as error:
        raise InvalidInput(error.messages[0], field="display_name") from None
    user.save(update_fields=["display_name"])


def change_mail(user: User, mail: str) -> None:
    """Keeps the mail address that git writes into commits, "" for none; raises `InvalidInput`."""
    user.email = mail.strip()
    try:
        user.clean_fields(exclude=["password", "username", "display_name"])
    except ValidationError as error:
        raise InvalidInput(error.messages[0], field="email") from None
    user.save(update_fields=["email"])


def change_password(user: User, current: str, new: str) -> None:
    """Sets a new password, which ends every session.

    Raises `InvalidInput` naming the field: the present password is wrong, or the new one weak.
    """
    if not user.check_password(current):
        text = _("This is not your present password.")
        raise InvalidInput(text, field="current", reasons=[text])
    try:
        validate_password(new, user)
    except ValidationError as error:
        reasons = list(error.messages)
        raise InvalidInput(reasons[0], field="new", reasons=reasons) from None
    user.set_password(new)
    user.save(update_fields=["password"])
    access.changed(user.pk)
