"""The cookie by which a browser is known that somebody signed in from."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from maia_web.accounts.services.devices import MAX_AGE, Device, device_of
from maia_web.pages.guards import signed_in


def device_here(request: HttpRequest) -> Device:
    """Returns the device a request comes from; a new one if it is not known."""
    return device_of(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""))


def remembered(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Lets the browser of who has just signed in be known from now on."""
    device = device_here(request).with_person(signed_in(request).username)
    answer.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        device.sealed(),
        max_age=MAX_AGE,
        secure=settings.BEHIND_TLS,
        httponly=True,
        samesite="Lax",
    )
    return answer
