"""The pages, and a stand-in for the app they lead to."""

from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("", lambda request: HttpResponse("the app"), name="app"),
    path("", include("maia_web.pages.urls")),
]
