"""The administrators' page about the model server."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.selectors.models.known import known_models
from agents.selectors.models.servers import current_server
from agents.services.models import known
from maia_web.lib.errors import InvalidInput
from maia_web.pages.endpoints import found_here, save_form, tried
from maia_web.pages.forms import KnownModelForm, ModelServerForm
from maia_web.pages.guards import administrators_only


@never_cache
@sensitive_post_parameters("key")
@administrators_only
@require_http_methods(["GET", "POST"])
def models(request: HttpRequest) -> HttpResponse:
    """Shows and changes the model server; its key is never part of an answer."""
    form = ModelServerForm.of(current_server())
    if request.method == "POST":
        form = ModelServerForm(request.POST)
        if save_form(form):
            messages.success(request, _("Saved. The next answer uses it."))
            return redirect("models")
    return _page(request, form, status=422 if request.method == "POST" else 200)


@administrators_only
@require_POST
def say_of_model(request: HttpRequest) -> HttpResponse:
    """Keeps what an administrator says of one model of the server, or forgets all of it."""
    if "forget" in request.POST:
        known.forget_model(request.POST.get("model", ""))
        return redirect("models")
    form = KnownModelForm(request.POST, auto_id="known_%s")
    if form.is_valid():
        try:
            known.say_of_model(form.cleaned_data.pop("model"), **form.cleaned_data)
        except InvalidInput as error:
            form.add_service_error(error)
        else:
            messages.success(request, _("Saved. The next answer uses it."))
            return redirect("models")
    return _page(request, ModelServerForm.of(current_server()), form, status=422)


def _page(
    request: HttpRequest,
    form: ModelServerForm,
    one: KnownModelForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "server": current_server(),
        "known": known_models(),
        "one": one or KnownModelForm(auto_id="known_%s"),
    }
    return render(request, "pages/models.html", context, status=status)


@administrators_only
@require_POST
def models_test(request: HttpRequest) -> HttpResponse:
    """Tries the endpoint that was typed; answers in JSON."""
    return tried(request)


@never_cache
@administrators_only
@require_GET
def models_found(request: HttpRequest) -> HttpResponse:
    """Lists the model servers of this machine; answers in JSON."""
    return found_here()
