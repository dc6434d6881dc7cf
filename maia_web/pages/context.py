"""What every server-rendered page knows of the site."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from agents.delivery import hub
from maia_web.lib.token_paths import carries_token
from workspaces.sandboxes import runs_unconfined

THEME_COOKIE = "maia-theme"
THEMES = ("light", "dark")
ADMIN = "/admin/"


def site(request: HttpRequest) -> dict[str, object]:
    """Returns the release (for asset names), the theme chosen, the other language, and whether the
    address of the page lets in who knows it.

    `redis_away` is told to administrators, on their pages.
    `unconfined` is asked by the page that shows it: whether commands run without isolation.
    """
    here = (get_language() or "en").split("-")[0]
    return {
        "release": settings.RELEASE,
        "version": settings.VERSION,
        "theme": theme_of(request),
        "other_language": "en" if here == "fr" else "fr",
        "redis_away": hub.is_redis_away and request.path.startswith(ADMIN),
        "unconfined": async_to_sync(runs_unconfined),
        "secret_address": carries_token(request.path),
    }


def theme_of(request: HttpRequest) -> str:
    """Returns the person's theme, else this browser's, else "" (the system's)."""
    user = getattr(request, "user", None)
    chosen = user.theme if user is not None and user.is_authenticated else ""
    cookie = request.COOKIES.get(THEME_COOKIE, "")
    return chosen or (cookie if cookie in THEMES else "")
