"""Trying and saving a model server, for the wizard and for the administrators' page."""

from __future__ import annotations

import time

from asgiref.sync import async_to_sync
from django.http import HttpRequest, JsonResponse

from agents.engine.ports import ProviderError
from agents.providers import catalogue
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
    form = ModelServerForm(request.POST)
    try:
        endpoint = _endpoint(form)
        begun = time.monotonic()
        models = async_to_sync(catalogue.list_models)(endpoint)
    except (InvalidInput, ProviderError) as error:
        return JsonResponse({"ok": False, "message": error.message})
    milliseconds = round((time.monotonic() - begun) * 1000)
    return JsonResponse({"ok": True, "ms": milliseconds, "models": [_model(m) for m in models]})
