"""Signing in and out."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from maia_web.accounts import services
from maia_web.accounts.selectors import administrator_exists
from maia_web.lib.errors import InvalidInput, TooMuch
from maia_web.pages.accounts.devices import device_here, remembered
from maia_web.pages.forms import SignInForm
from maia_web.pages.guards import address_of, next_page, wanted_page


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Shows the form; a right password leads to `next` or to the app."""
    if request.user.is_authenticated:
        return HttpResponseRedirect(next_page(request))
    form = SignInForm.posted(request)
    status = 200
    if request.method == "POST":
        status = _try(request, form)
        if not status:
            return remembered(request, HttpResponseRedirect(next_page(request)))
    context = {"form": form, "next": wanted_page(request), "set_up": administrator_exists()}
    return render(request, "pages/sign_in.html", context, status=status)


def _try(request: HttpRequest, form: SignInForm) -> int:
    """Signs in and returns 0, or returns the status of the answer."""
    if not form.is_valid():
        return 422
    data = form.cleaned_data
    try:
        user = services.sign_in(
            request,
            data["username"],
            data["password"],
            address_of(request),
            device=device_here(request),
        )
    except (InvalidInput, TooMuch) as error:
        form.add_service_error(error)
        return error.status
    login(request, user)
    if not data["stay"]:
        request.session.set_expiry(0)
    return 0


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends this session."""
    services.sign_out(request)
    return redirect("sign-in")
