"""The administrators' page about people."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from maia_web.accounts import selectors, services
from maia_web.accounts.models import User
from maia_web.lib.errors import Conflict, NotFound
from maia_web.lib.names.isolate import isolated
from maia_web.pages.forms import InviteForm
from maia_web.pages.guards import administrators_only, signed_in

_CHANGES = {
    "disable": lambda user, by: services.set_active(user, False, by=by),
    "enable": lambda user, by: services.set_active(user, True, by=by),
    "make-administrator": lambda user, by: services.set_administrator(user, True, by=by),
    "make-member": lambda user, by: services.set_administrator(user, False, by=by),
}


@never_cache
@administrators_only
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest) -> HttpResponse:
    """Lists everybody; POST makes an invitation, whose link this answer alone shows."""
    form, link = InviteForm.posted(request), ""
    if request.method == "POST" and form.is_valid():
        _row, token = services.invite(signed_in(request), **form.cleaned_data)
        link = request.build_absolute_uri(reverse("invite", args=[token]))
        form = InviteForm()
    context = {
        "form": form,
        "link": link,
        "people": selectors.people(),
        "invitations": selectors.open_invitations(),
    }
    return render(request, "pages/people.html", context)


@administrators_only
@require_POST
def change_person(request: HttpRequest, user_id: int, change: str) -> HttpResponse:
    """Disables, enables, makes administrator or member; the last administrator stays one."""
    if change not in _CHANGES:
        raise Http404
    try:
        user = selectors.person(user_id)
        _CHANGES[change](user, signed_in(request).pk)
    except NotFound:
        raise Http404 from None
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _done(user, change))
    return redirect("people")


@administrators_only
@require_POST
def withdraw(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Makes an open invitation worthless."""
    services.withdraw_invitation(invitation_id)
    messages.success(request, _("The invitation is withdrawn."))
    return redirect("people")


def _done(user: User, change: str) -> str:
    return {
        "disable": _("%(name)s can no longer sign in, and is signed out everywhere."),
        "enable": _("%(name)s can sign in again."),
        "make-administrator": _("%(name)s is an administrator now."),
        "make-member": _("%(name)s is a member now."),
    }[change] % {"name": isolated(user.name)}
