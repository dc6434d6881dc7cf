"""The wizard of the first start: administrator, model, sandbox."""

from __future__ import annotations

from functools import partial

from asgiref.sync import async_to_sync
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.selectors.models.servers import current_server
from maia_web.accounts import selectors, services
from maia_web.accounts.models import User
from maia_web.lib.errors import NotFound
from maia_web.pages.accounts.devices import remembered
from maia_web.pages.accounts.invitation import join
from maia_web.pages.endpoints import found_here, save_form, tried
from maia_web.pages.forms import ModelServerForm, NewAccountForm
from workspaces.sandboxes import SandboxStatus, sandbox_status
from workspaces.services import personal_workspace


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def setup(request: HttpRequest, token: str) -> HttpResponse:
    """Step 1: the administrator. Whoever used the link already goes on with step 2."""
    if _unfinished(request, token):
        return redirect("setup-model", token)
    if not selectors.setup_open(token):
        raise Http404
    form = NewAccountForm.posted(request)
    try:
        if request.method == "POST" and join(
            request, form, partial(services.use_setup_token, token)
        ):
            return remembered(request, redirect("setup-model", token))
    except NotFound:
        raise Http404 from None
    status = 422 if request.method == "POST" else 200
    return render(request, "pages/setup_account.html", {"form": form, "step": 1}, status=status)


@never_cache
@sensitive_post_parameters("key")
@require_http_methods(["GET", "POST"])
def setup_model(request: HttpRequest, token: str) -> HttpResponse:
    """Step 2: where the models run."""
    _only_unfinished(request, token)
    form = ModelServerForm.of(current_server())
    if request.method == "POST":
        form = ModelServerForm(_with_demo(request))
        if save_form(form):
            return redirect("setup-sandbox", token)
    context = {"form": form, "server": current_server(), "step": 2, "token": token}
    status = 422 if request.method == "POST" else 200
    return render(request, "pages/setup_model.html", context, status=status)


@require_POST
def setup_test(request: HttpRequest, token: str) -> HttpResponse:
    """Tries the endpoint that was typed; answers in JSON."""
    _only_unfinished(request, token)
    return tried(request)


@require_GET
@never_cache
def setup_found(request: HttpRequest, token: str) -> HttpResponse:
    """Lists the model servers of this machine; answers in JSON."""
    _only_unfinished(request, token)
    return found_here()


@never_cache
@require_http_methods(["GET", "POST"])
def setup_sandbox(request: HttpRequest, token: str) -> HttpResponse:
    """Step 3: whether commands can run isolated; then into the app."""
    user = _only_unfinished(request, token)
    if request.method == "POST":
        services.finish_setup(token, user)
        return redirect("app")
    context = {"step": 3, "token": token, "sandbox": _sandbox_of(user), "server": current_server()}
    return render(request, "pages/setup_sandbox.html", context)


def _with_demo(request: HttpRequest) -> QueryDict:
    data = request.POST.copy()
    if "skip" in data:
        data["kind"] = "demo"
    return data


def _unfinished(request: HttpRequest, token: str) -> bool:
    user = request.user
    return isinstance(user, User) and selectors.setup_unfinished(token, user)


def _only_unfinished(request: HttpRequest, token: str) -> User:
    user = request.user
    if not isinstance(user, User) or not selectors.setup_unfinished(token, user):
        raise Http404
    return user


def _sandbox_of(user: User) -> SandboxStatus:
    """Returns how commands run in the person's own workspace."""
    return async_to_sync(sandbox_status)(personal_workspace(user).place)
