"""Language and theme, from any page, signed in or not."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from maia_web.accounts.models import User
from maia_web.accounts.services import choose_language, choose_theme
from maia_web.pages.context import THEME_COOKIE, THEMES
from maia_web.pages.guards import next_page

_YEAR = 365 * 24 * 3600


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Keeps the language in a cookie, and with the account of who is signed in."""
    wanted = request.POST.get("language", "")
    response = HttpResponseRedirect(next_page(request))
    if wanted in dict(settings.LANGUAGES):
        if isinstance(request.user, User):
            choose_language(request.user, wanted)
        _keep(response, settings.LANGUAGE_COOKIE_NAME, wanted)
    return response


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keeps the theme in a cookie, and with the account of who is signed in; "" forgets it."""
    wanted = request.POST.get("theme", "")
    response = HttpResponseRedirect(next_page(request))
    if wanted in THEMES or not wanted:
        if isinstance(request.user, User):
            choose_theme(request.user, wanted)
        keep_theme(response, wanted)
    return response


def keep_theme(response: HttpResponse, wanted: str) -> None:
    """Keeps the theme for this browser, or forgets it."""
    if wanted:
        _keep(response, THEME_COOKIE, wanted)
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")


def _keep(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(
        name, value, max_age=_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
