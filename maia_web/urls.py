"""Addresses of the site."""

from __future__ import annotations

from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from maia_web.api import api
from maia_web.pages import app, failures, protocol

handler400 = failures.bad_request
handler403 = failures.forbidden
handler404 = failures.missing
handler500 = failures.broken

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("maia_web.pages.urls")),  # before the app's: /w/new is no workspace
    path("", app.app, name="app"),
    path("favicon.ico", RedirectView.as_view(url=static("img/mark.svg"))),
    path("w/<str:workspace>", app.app, name="app-workspace"),
    path("w/<str:workspace>/c/<str:channel>", app.app, name="app-channel"),
    path("api/websocket", protocol.websocket, name="websocket-protocol"),
    path("api/", api.urls),
]
