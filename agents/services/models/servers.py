"""Choosing the site's model endpoint."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.domain.model_servers.server import (
    ModelServerInfo,
    ModelServerSettings,
    same_origin,
    url_problem,
)
from agents.models import ModelServer
from agents.selectors.models.servers import current_key, current_server
from maia_web.lib.crypto import seal
from maia_web.lib.errors import InvalidInput

LARGEST = 100_000_000


def save_model_server(settings: ModelServerSettings, key: str | None = None) -> ModelServerInfo:
    """Keeps the endpoint; raises `InvalidInput` naming the field.

    `key` None keeps the present key, which is refused for another address than the one it was
    entered for; "" forgets it.
    """
    check_settings(settings)
    kept = key_for(settings.url, key) if settings.kind != "demo" else ""
    values = settings.model_dump(by_alias=False)
    with transaction.atomic():
        row = ModelServer.objects.select_for_update().order_by("-updated_at", "-pk").first()
        row = row or ModelServer()
        for name, value in values.items():
            setattr(row, name, value)
        row.sealed_key = seal(kept)
        row.save()
    saved = current_server()
    assert saved is not None  # noqa: S101 - it was written two lines above
    return saved


def key_for(url: str, key: str | None) -> str:
    """Returns the key to send to `url`: the given one, or the kept one if it was meant for it."""
    if key is not None:
        return key.strip()
    present = current_server()
    if present is None or not present.has_key:
        return ""
    if not same_origin(present.url, url):
        text = _("The address changed: enter the key again, or remove it.")
        raise InvalidInput(text, field="key")
    return current_key()


def check_settings(settings: ModelServerSettings, *, model_needed: bool = True) -> None:
    """Raises `InvalidInput` with the first field that cannot be right."""
    if settings.kind != "demo":
        _check_address(settings)
        if model_needed and not settings.model:
            raise InvalidInput(
                _("Choose a model. “Test” lists those of the server."), field="model"
            )
    for field in ("context_size", "max_steps", "max_output_tokens"):
        check_number(field, getattr(settings, field))


def check_number(field: str, value: int | None) -> None:
    """Raises `InvalidInput` for a number that none of the settings can be."""
    if value is not None and not 1 <= value <= LARGEST:
        raise InvalidInput(_("Enter a number from 1 to 100,000,000."), field=field)


def _check_address(settings: ModelServerSettings) -> None:
    problem = url_problem(settings.url)
    if problem:
        raise InvalidInput(_url_text(problem), field="url")
    for field in ("chat_path", "models_path"):
        path = getattr(settings, field)
        if not path.startswith("/") or path.startswith("//") or any(c.isspace() for c in path):
            raise InvalidInput(_("A path begins with “/” and has no spaces."), field=field)


def _url_text(problem: str) -> str:
    return {
        "scheme": _("The address begins with http:// or https://."),
        "credentials": _(
            "Leave name and password out of the address; there is a field for the key."
        ),
        "extra": _("The address ends before “?” and “#”."),
    }.get(problem, _("This is not the address of a server."))
