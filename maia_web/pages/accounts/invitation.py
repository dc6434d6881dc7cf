"""Joining with an invitation."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from maia_web.accounts import selectors, services
from maia_web.accounts.models import User
from maia_web.lib.errors import InvalidInput, NotFound
from maia_web.pages.accounts.devices import remembered
from maia_web.pages.forms import NewAccountForm
from workspaces.services import personal_workspace


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the form of an open invitation and makes the account; 404 for any other link."""
    try:
        invitation = selectors.invitation(token)
        form = NewAccountForm.posted(request)
        if request.method == "POST" and join(
            request, form, lambda **data: services.accept_invitation(token, **data)
        ):
            return remembered(request, redirect("app"))
    except NotFound:
        raise Http404 from None
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "invitation": invitation}
    return render(request, "pages/invite.html", context, status=status)


def join(request: HttpRequest, form: NewAccountForm, make: Callable[..., User]) -> bool:
    """Makes the account and its workspace, both or none, and signs in; False shows the form."""
    if not form.is_valid():
        return False
    language = (get_language() or "").split("-")[0]
    try:
        with transaction.atomic():
            user = make(**form.cleaned_data, language=language)
            personal_workspace(user)
    except InvalidInput as error:
        form.add_service_error(error)
        return False
    login(request, user)
    return True
