"""One's own account."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from maia_web.accounts import services
from maia_web.lib.errors import InvalidInput
from maia_web.pages.forms import PasswordForm, ProfileForm
from maia_web.pages.guards import signed_in
from maia_web.pages.switches import keep_theme


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Shows the account; POST changes name, mail address, language and theme."""
    user = signed_in(request)
    if request.method != "POST":
        return _page(request, ProfileForm.of(user), PasswordForm())
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _page(request, form, PasswordForm(), 422)
    services.change_name(user, form.cleaned_data["display_name"])
    services.change_mail(user, form.cleaned_data["email"])
    services.choose_language(user, form.cleaned_data["language"])
    services.choose_theme(user, form.cleaned_data["theme"])
    if user.language:
        translation.activate(user.language)
    messages.success(request, _("Saved."))
    response = redirect("account")
    keep_theme(response, user.theme)
    return response


@never_cache
@sensitive_post_parameters("current", "new")
@login_required
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """Changes the password: the other sessions end, this one goes on."""
    user = signed_in(request)
    form = PasswordForm(request.POST)
    if form.is_valid():
        try:
            services.change_own_password(request, user, **form.cleaned_data)
        except InvalidInput as error:
            form.add_service_error(error)
    if form.errors:
        return _page(request, ProfileForm.of(user), form, 422)
    messages.success(request, _("The password is changed. Your other sessions are ended."))
    return redirect("account")


@login_required
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Ends every other session of this person."""
    services.end_other_sessions(request, signed_in(request))
    messages.success(request, _("Your other sessions are ended."))
    return redirect("account")


def _page(
    request: HttpRequest, profile: ProfileForm, password: PasswordForm, status: int = 200
) -> HttpResponse:
    context = {"profile": profile, "password": password}
    return render(request, "pages/account.html", context, status=status)
