"""Trying and saving a model server, for the wizard and for the administrators' page."""

from __future__ import annotations

import time

from asgiref.sync import async_to_sync
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from agents.domain.endpoint import Endpoint
from agents.engine.ports import ProviderError
from agents.services.model_servers import check_settings, key_for, save_model_server
from maia_web.lib.errors import InvalidInput
from maia_web.pages.forms import ModelServerForm


def save_form(form: ModelServerForm) -> bool:
    """Saves what was typed; False if the form has errors to show."""
    if not form.is_valid():
        return False
    try:
        save_model_server(form.settings(), form.new_key())
    except InvalidInput as error:
        form.add_service_error(error)
        return False
    return True


def tried(request: HttpRequest) -> JsonResponse:
    """Asks the typed endpoint for its models: `{ok, ms, models}` or `{ok: false, message}`."""
    from agents.providers import catalogue

    begun = time.monotonic()
    try:
        models = async_to_sync(catalogue.list_models)(_endpoint(ModelServerForm(request.POST)))
    except (InvalidInput, ProviderError) as error:
        return JsonResponse({"ok": False, "message": error.message})
    milliseconds = round((time.monotonic() - begun) * 1000)
    return JsonResponse({"ok": True, "ms": milliseconds, "models": [{"id": m} for m in models]})


def found_here() -> JsonResponse:
    """Lists the model servers that answer on this machine."""
    from agents.providers import catalogue

    servers = async_to_sync(catalogue.find_local_servers)()
    return JsonResponse({"servers": servers})


def _endpoint(form: ModelServerForm) -> Endpoint:
    if not form.is_valid():
        reasons = next(iter(form.errors.values()))
        raise InvalidInput(str(reasons[0]) if reasons else _("This is not valid."))
    settings = form.settings()
    check_settings(settings, model_needed=False)
    return Endpoint(
        url=settings.url,
        chat_path=settings.chat_path,
        models_path=settings.models_path,
        key=key_for(settings.url, form.new_key()),
    )
