"""The forms of the server-rendered pages."""

from maia_web.pages.forms.models import ModelServerForm
from maia_web.pages.forms.people import (
    InviteForm,
    NewAccountForm,
    PasswordForm,
    ProfileForm,
    SignInForm,
)

__all__ = [
    "InviteForm",
    "ModelServerForm",
    "NewAccountForm",
    "PasswordForm",
    "ProfileForm",
    "SignInForm",
]
