"""Addresses of the site."""

from __future__ import annotations

from django.conf import settings
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from maia_web.lib import late
from maia_web.pages import failures

handler400 = failures.bad_request
handler403 = failures.forbidden
handler404 = failures.missing
handler500 = failures.broken

app = late.Views("maia_web.pages.app")
protocol = late.Views("maia_web.pages.protocol")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("maia_web.pages.urls")),  # before the app's: /w/new is no workspace
    path("", app.app, name="app"),
    path("favicon.ico", RedirectView.as_view(url=static("img/mark.svg"))),
    path("w/<str:workspace>", app.app, name="app-workspace"),
    path("w/<str:workspace>/c/<str:channel>", app.app, name="app-channel"),
    path("api/websocket", protocol.websocket, name="websocket-protocol"),
    late.Addresses("api/", "maia_web.api", "ninja", f"api-{settings.VERSION}"),
]
