"""Trying and saving a model server, for the wizard and for the administrators' page."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from agents.domain.model_servers.endpoint import Endpoint
from agents.domain.model_servers.server import CHAT_PATH, MODELS_PATH
from agents.providers.catalogue import FoundServer, ModelInfo, find_local_servers, test_endpoint
from agents.providers.local_model import NAME, installed, site_model
from agents.providers.local_server import MODEL
from agents.services.models.servers import check_settings, key_for, save_model_server
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
    try:
        endpoint = _endpoint(ModelServerForm(request.POST))
    except InvalidInput as error:
        return JsonResponse({"ok": False, "message": error.message})
    result = async_to_sync(test_endpoint)(endpoint)
    if not result.ok:
        return JsonResponse({"ok": False, "message": result.problem})
    models = [_model(model) for model in result.models]
    return JsonResponse({"ok": True, "ms": result.latency_ms, "models": models})


def found_here() -> JsonResponse:
    """Lists the model servers that answer on this machine: `{servers}`."""
    servers = async_to_sync(find_local_servers)(without_ports=frozenset({settings.PORT}))
    if installed():
        offered = FoundServer(NAME, site_model().url, (ModelInfo(MODEL),))
        servers = [offered, *(server for server in servers if server.url != offered.url)]
    return JsonResponse({"servers": [_server(server) for server in servers]})


def _endpoint(form: ModelServerForm) -> Endpoint:
    if not form.is_valid():
        reasons = next(iter(form.errors.values()))
        raise InvalidInput(str(reasons[0]) if reasons else _("This is not valid."))
    typed = form.settings()
    check_settings(typed, model_needed=False)
    return Endpoint(
        url=typed.url,
        chat_path=typed.chat_path,
        models_path=typed.models_path,
        key=key_for(typed.url, form.new_key()),
    )


def _model(model: ModelInfo) -> dict[str, Any]:
    return {"id": model.name, "contextSize": model.context_size}


def _server(server: FoundServer) -> dict[str, Any]:
    return {
        "name": server.name,
        "kind": "litellm" if server.name == "LiteLLM" else "openai",
        "url": server.url,
        "chatPath": CHAT_PATH,
        "modelsPath": MODELS_PATH,
        "models": len(server.models),
        "needsKey": server.needs_key,
    }
