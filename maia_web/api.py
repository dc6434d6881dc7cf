"""The REST interface: one NinjaAPI, every failure as `{code, message, …}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.docs import Swagger
from ninja.security import SessionAuth

from agents.api.agents import router as agents_router
from agents.api.audit import router as audit_router
from agents.api.channels import router as channels_router
from agents.api.completion import library_router
from agents.api.completion import router as completion_router
from agents.api.permissions import router as permissions_router
from agents.api.rules import router as rules_router
from agents.api.sessions import commands_router
from agents.api.sessions import router as sessions_router
from agents.selectors.values import person_value
from maia_web.accounts.models import User
from maia_web.lib import config
from maia_web.lib.errors import InvalidInput, MaiaError, NotSignedIn
from workspaces.api import router as workspaces_router
from workspaces.api import terminals_router


def _forbidden(_request: HttpRequest) -> HttpResponse:
    return HttpResponseForbidden()


_csrf = CsrfViewMiddleware(_forbidden)


class SignedIn(SessionAuth):
    """The session of the browser, for people whose account is active."""

    def _get_key(self, request: HttpRequest) -> str | None:
        """Checks against forged requests as ninja does, which makes the middleware each time."""
        request.csrf_processing_done = False  # type: ignore[attr-defined]  # Django's own mark
        _csrf.process_request(request)
        if _csrf.process_view(request, _forbidden, (), {}) is not None:
            raise HttpError(403, "CSRF check failed")
        return request.COOKIES.get(self.param_name)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        """Returns the person, or None."""
        user = request.user
        return user if user.is_authenticated and user.is_active else None


class _Docs(Swagger):
    """The page ninja has for sites whose app it is, which it is not: a start would load it."""

    template_cdn = str(config.package("ninja") / "templates" / Swagger.template)


api = NinjaAPI(
    docs=_Docs(),
    title="MAIA",
    version=settings.VERSION,
    description="Work with AI coding agents: workspaces, channels, messages, permissions.",
    auth=SignedIn(),
    docs_url="/docs",
    docs_decorator=login_required,
    openapi_url="openapi.json",
)
api.add_router("/agents", agents_router)
api.add_router("/channels", channels_router)
api.add_router("/channels", completion_router)
api.add_router("/channels", sessions_router)
api.add_router("/commands", commands_router)
api.add_router("/permissions", permissions_router)
api.add_router("/rules", rules_router)
api.add_router("/audit", audit_router)
api.add_router("/workspaces", workspaces_router)
api.add_router("/workspaces", library_router)
api.add_router("/terminals", terminals_router)


@api.get("/me", summary="Me", tags=["people"])
def me(request: HttpRequest) -> dict[str, Any]:
    """Who is signed in, as the socket's `hello` says it, and the language they chose ("": none)."""
    user = cast("User", request.user)  # `auth` let nobody else in
    return {
        "user": person_value(user).wire(),
        "administrator": user.is_administrator,
        "language": user.language,
    }


@api.exception_handler(MaiaError)
def _failed(request: HttpRequest, error: MaiaError) -> HttpResponse:
    return api.create_response(request, error.as_dict(), status=error.status)


@api.exception_handler(OverflowError)
def _too_large(request: HttpRequest, error: OverflowError) -> HttpResponse:
    return _failed(request, InvalidInput(_("A number is too large."), field="number"))


@api.exception_handler(AuthenticationError)
def _signed_out(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return _failed(request, NotSignedIn(_("Sign in first.")))


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0] if error.errors else {}
    field = _field(first.get("loc", ()))
    message = _("%(field)s: %(why)s") % {"field": field, "why": first.get("msg", "")}
    return _failed(request, InvalidInput(message, field=field, errors=_plain(error.errors)))


@api.exception_handler(HttpError)
def _refused(request: HttpRequest, error: HttpError) -> HttpResponse:
    """A body that is no JSON, or a request without its CSRF token."""
    code = "forbidden" if error.status_code == 403 else "bad-request"
    answer = MaiaError(str(error), code=code)
    return api.create_response(request, answer.as_dict(), status=error.status_code)


def _field(loc: Sequence[str | int]) -> str:
    """Returns a field's name from where it was found: (source, name…), (body, value, name…)."""
    names = loc[2:] if loc[:1] == ("body",) else loc[1:]
    return ".".join(str(part) for part in names) or "body"


def _plain(errors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the errors without the values that caused them: a secret may be among them."""
    return [{"loc": list(one.get("loc", ())), "msg": str(one.get("msg", ""))} for one in errors]


urlpatterns = api.urls[0]
