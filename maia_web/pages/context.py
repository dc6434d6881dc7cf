"""What every server-rendered page knows of the site."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """Returns the release (for asset names) and the theme the person chose, if any."""
    user = getattr(request, "user", None)
    theme = user.theme if user is not None and user.is_authenticated else ""
    return {"release": settings.RELEASE, "version": settings.VERSION, "theme": theme}
