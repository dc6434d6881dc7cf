"""Which model endpoint the site uses."""

from __future__ import annotations

from django.conf import settings

from agents.domain.model_servers.server import ModelServerInfo
from agents.models import ModelServer
from maia_web.lib.crypto import unseal


def current_server() -> ModelServerInfo | None:
    """Returns the endpoint in force, without its key; None before anybody chose one."""
    row = _current()
    if row is None:
        return None
    return ModelServerInfo.model_validate(
        {
            "kind": row.kind,
            "url": row.url,
            "chat_path": row.chat_path,
            "models_path": row.models_path,
            "model": row.model,
            "context_size": row.context_size,
            "max_steps": row.max_steps,
            "max_output_tokens": row.max_output_tokens,
            "has_key": bool(row.sealed_key),
        }
    )


def current_key() -> str:
    """Returns the key of the endpoint in force, else `LITELLM_API_KEY` (M §7.3), "" for none.

    Only for the runtime and for tests of the connection: it goes into a request header and
    nowhere else.
    """
    row = _current()
    if row is None:
        return ""
    return unseal(row.sealed_key) or (settings.LITELLM_API_KEY if row.kind == "litellm" else "")


def _current() -> ModelServer | None:
    return ModelServer.objects.order_by("-updated_at", "-pk").first()
