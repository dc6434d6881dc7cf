"""The person who makes a REST request."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _

from maia_web.accounts.models import User
from maia_web.lib.errors import NotSignedIn


def person(request: HttpRequest) -> User:
    """Returns the person who asks; raises NotSignedIn."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        raise NotSignedIn(_("Sign in first."))
    return user
