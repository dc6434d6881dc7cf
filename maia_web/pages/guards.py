"""Who may see a page, and where a page may send people."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from maia_web.accounts.models import User

View = Callable[..., HttpResponse]


def administrators_only(view: View) -> View:
    """Sends strangers to the sign-in page and answers 403 to members."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not signed_in(request).is_administrator:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    guarded_view: View = login_required(guarded)
    return guarded_view


def signed_in(request: HttpRequest) -> User:
    """Returns who asks; raises `PermissionDenied` if nobody is signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def next_page(request: HttpRequest) -> str:
    """Returns the `next` of the request if it is an address of this site, else the app's."""
    return wanted_page(request) or resolve_url("app")


def wanted_page(request: HttpRequest) -> str:
    """Returns the `next` of the request if it is an address of this site, else ""."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else ""


def address_of(request: HttpRequest) -> str:
    """Returns the address the request came from; behind a trusted proxy, what that one saw."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    if forwarded and settings.TRUST_PROXY:
        return forwarded.split(",")[-1].strip()
    return str(request.META.get("REMOTE_ADDR") or "")
