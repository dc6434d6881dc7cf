"""Around every request: the person's language, where it came from, and what nobody may keep."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin

from maia_web.accounts.models import User
from maia_web.lib import audit
from maia_web.lib.token_paths import carries_token
from maia_web.pages.failures import API
from maia_web.pages.guards import address_of

_NO_STORE = "private, no-store"


class PersonLanguageMiddleware(MiddlewareMixin):
    """Comes after authentication; without a choice the cookie, then the browser, decides."""

    def process_request(self, request: HttpRequest) -> None:
        """Activates the person's language for this request."""
        audit.came_from.set(address_of(request))
        user = request.user
        if isinstance(user, User) and user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()


@sync_and_async_middleware
def private_answers(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Comes first of all, so that refusals pass it too.

    What the API says is kept nowhere. A page whose address is a secret is kept nowhere either, and
    its address is told to no other page (base.html lets it tell the origin: CSRF wants that).
    """

    def closed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        secret = carries_token(request.path)
        if secret or request.path.startswith(API):
            response["Cache-Control"] = _NO_STORE
        if secret:
            response["Referrer-Policy"] = "no-referrer"
        return response

    if iscoroutinefunction(get_response):
        answer = cast("Callable[[HttpRequest], Awaitable[HttpResponseBase]]", get_response)

        async def later(request: HttpRequest) -> HttpResponseBase:
            return closed(request, await answer(request))

        return later

    def now(request: HttpRequest) -> HttpResponseBase:
        return closed(request, get_response(request))

    return now
