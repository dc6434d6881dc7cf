"""Speaks the language a signed-in person chose, and notes where a request came from."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from maia_web.accounts.models import User
from maia_web.lib import audit
from maia_web.pages.guards import address_of


class PersonLanguageMiddleware(MiddlewareMixin):
    """Comes after authentication; without a choice the cookie, then the browser, decides."""

    def process_request(self, request: HttpRequest) -> None:
        """Activates the person's language for this request."""
        audit.came_from.set(address_of(request))
        user = request.user
        if isinstance(user, User) and user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
