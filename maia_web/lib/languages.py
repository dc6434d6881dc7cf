"""Languages: which one a socket speaks, and sentences that are kept for readers of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from maia_web.lib.translated import Translated

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


def speaking(application: Application) -> Application:
    """Runs each connection in the language of the cookie, else of the browser, else of the site.

    What somebody chose for themselves goes before it, as soon as it is known who they are.
    """

    async def serve(scope: dict[str, Any], receive: Any, send: Any) -> None:
        with translation.override(_of_browser(scope)):
            await application(scope, receive, send)

    return serve


def translated(make: Callable[[], str]) -> Translated:
    """Returns the sentence that `make` gives, in the active language and in every other."""
    every = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            every[language] = make()
    return Translated(make(), every)


def _of_browser(scope: dict[str, Any]) -> str:
    """Asks Django, as its LocaleMiddleware does."""
    request = HttpRequest()
    request.COOKIES = dict(scope.get("cookies") or {})
    for name, value in scope.get("headers", ()):
        if name == b"accept-language":
            request.META["HTTP_ACCEPT_LANGUAGE"] = value.decode("latin-1")
    return translation.get_language_from_request(request)
