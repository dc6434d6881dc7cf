"""Forms about people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.utils.translation import gettext_lazy as _

from maia_web.accounts.models import User
from maia_web.pages.forms.base import PageForm

_NAME = {"autocapitalize": "none", "spellcheck": "false"}


def _password(label: Any, autocomplete: str) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget)


class SignInForm(PageForm):
    """Name and password."""

    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", **_NAME}),
    )
    password = _password(_("Password"), "current-password")
    stay = forms.BooleanField(
        label=_("Keep me signed in on this device"), required=False, initial=True
    )


class NewAccountForm(PageForm):
    """A new account; the rules for passwords stand under the field."""

    display_name = forms.CharField(
        label=_("Your name"),
        max_length=80,
        required=False,
        help_text=_("As the others see it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        help_text=_("To sign in: letters, digits and @ . + - _"),
        widget=forms.TextInput(attrs={"autocomplete": "username", **_NAME}),
    )
    password = _password(_("Password"), "new-password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = password_validators_help_text_html()


class InviteForm(PageForm):
    """Whom an invitation is for."""

    note = forms.CharField(
        label=_("For whom"),
        max_length=120,
        required=False,
        help_text=_("Only to tell invitations apart."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    administrator = forms.BooleanField(label=_("As an administrator"), required=False)


class ProfileForm(PageForm):
    """Name, mail address, language and theme."""

    display_name = forms.CharField(
        label=_("Name"),
        max_length=80,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("Mail address for git"),
        required=False,
        help_text=_("It stands in your commits. Without one, git gets one that leads nowhere."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("As the browser")), ("en", "English"), ("fr", "Français")],
    )
    theme = forms.ChoiceField(
        label=_("Theme"),
        required=False,
        choices=[("light", _("Light")), ("dark", _("Dark")), ("", _("System"))],
    )

    @classmethod
    def of(cls, user: User) -> ProfileForm:
        """Returns the form filled with what the person chose."""
        return cls(
            initial={
                "display_name": user.display_name,
                "email": user.email,
                "language": user.language,
                "theme": user.theme,
            }
        )


class PasswordForm(PageForm):
    """A new password."""

    current = _password(_("Present password"), "current-password")
    new = _password(_("New password"), "new-password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new"].help_text = password_validators_help_text_html()
