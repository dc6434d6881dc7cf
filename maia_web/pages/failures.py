"""What is answered when nothing else answers: a page for people, JSON under `/api/`."""

from __future__ import annotations

import sys

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext as _
from django.views import defaults

from maia_web.lib import storage
from maia_web.lib.errors import MaiaError, NotAllowed, NotFound

API = "/api/"


class TooLarge(MaiaError):
    """The body has more bytes than the server reads."""

    status = 413
    code = "too-large"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400; 413 for a body over the limit."""
    if isinstance(exception, RequestDataTooBig):
        error: MaiaError = TooLarge(_("The request is larger than the server reads."))
    else:
        error = MaiaError(_("The server could not read this request."), code="bad-request")
    if request.path.startswith(API):
        return _json(error)
    page: HttpResponse = defaults.bad_request(request, exception)
    page.status_code = error.status
    return page


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    if request.path.startswith(API):
        return _json(NotAllowed(str(exception) or _("You may not do this.")))
    return defaults.permission_denied(request, exception)


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    if request.path.startswith(API):
        return _json(NotFound(_("There is nothing here.")))
    return defaults.page_not_found(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """500; where a disk or the database is the cause, the sentence that says so."""
    cause = sys.exc_info()[1]
    known = storage.explain(cause) if cause is not None else None
    if known is not None:
        return _told(request, known)
    if request.path.startswith(API):
        error = MaiaError(_("Something broke on the server."), code="broken")
        return JsonResponse(error.as_dict(), status=500)
    return defaults.server_error(request)


def _told(request: HttpRequest, error: MaiaError) -> HttpResponse:
    """A page without anything of the database's, which may be what is away."""
    if request.path.startswith(API):
        return _json(error)
    page = loader.render_to_string("storage.html", {"code": error.status, "why": error.message})
    return HttpResponse(page, status=error.status)


def _json(error: MaiaError) -> HttpResponse:
    return JsonResponse(error.as_dict(), status=error.status)
