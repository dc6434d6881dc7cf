"""Around every request: the person's language, where it came from, and what nobody may keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from maia_web.accounts.models import User
from maia_web.accounts.selectors import person_of
from maia_web.lib import audit
from maia_web.lib.token_paths import carries_token
from maia_web.pages.failures import API
from maia_web.pages.guards import address_of

GetResponse = Callable[[HttpRequest], HttpResponseBase]
_NO_STORE = "private, no-store"


class PersonMiddleware(MiddlewareMixin):
    """Who asks, found when somebody wants to know it, by the same questions as at a socket."""

    def process_request(self, request: HttpRequest) -> None:
        """Gives the request its person."""
        request.user = cast("User", SimpleLazyObject(lambda: _person(request)))


def _person(request: HttpRequest) -> User | AnonymousUser:
    found = person_of(request.session)
    if found is None and SESSION_KEY in request.session:
        request.session.flush()  # it has ended, and what it holds with it
    return found or AnonymousUser()


class PersonLanguageMiddleware(MiddlewareMixin):
    """Comes after them; without a choice the cookie, then the browser, decides."""

    def process_request(self, request: HttpRequest) -> None:
        """Activates the person's language for this request."""
        audit.came_from.set(address_of(request))
        user = request.user
        if isinstance(user, User) and user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()


def private_answers(get_response: GetResponse) -> GetResponse:
    """Comes first of all, so that refusals pass it too.

    What the API says is kept nowhere. A page whose address is a secret is kept nowhere either, and
    its address is told to no other page (base.html lets it tell the origin: CSRF wants that).
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        secret = carries_token(request.path)
        if secret or request.path.startswith(API):
            response["Cache-Control"] = _NO_STORE
        if secret:
            response["Referrer-Policy"] = "no-referrer"
        return response

    return answer
