"""Which model endpoint the site uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.model_servers.traits import Traits
from agents.models import ContextSize, KnownModel, ModelServer
from agents.selectors.models.traits import read_traits
from maia_web.lib.crypto import unseal
from maia_web.lib.fixed import Fixed, Row

_COLUMNS = (
    "kind",
    "url",
    "chat_path",
    "models_path",
    "model",
    "context_size",
    "max_steps",
    "max_output_tokens",
)


@dataclass(frozen=True, slots=True)
class SiteServer:
    """The endpoint in force with its key; `told`: the tokens its model or its lists told of.

    `traits`: how its model is asked.

    Only for the runtime and for tests of the connection: the key goes into a request header and
    nowhere else.
    """

    server: ModelServerInfo
    key: str = field(default="", repr=False)
    told: int = 0
    traits: Traits = field(default_factory=Traits)


def site_server() -> SiteServer | None:
    """Returns the endpoint in force, read in one question; None before anybody chose one."""
    row = _CURRENT.first()
    if row is None:
        return None
    *values, sealed, told, traits = row
    server = _server(values, sealed)
    own = unseal(sealed) if sealed else ""
    key = own or (settings.LITELLM_API_KEY if server.kind == "litellm" else "")
    return SiteServer(server, key, told or 0, read_traits(traits))


def current_server() -> ModelServerInfo | None:
    """Returns the endpoint in force, without its key; None before anybody chose one."""
    row = _CURRENT.first()
    if row is None:
        return None
    *values, sealed, _told, _traits = row
    return _server(values, sealed)


def current_key() -> str:
    """Returns the key of the endpoint in force, else `LITELLM_API_KEY` (M §7.3), "" for none."""
    site = site_server()
    return site.key if site else ""


def _server(values: list[Any], sealed: str) -> ModelServerInfo:
    fields = dict(zip(_COLUMNS, values, strict=True))
    return ModelServerInfo.model_validate({**fields, "has_key": bool(sealed)})


def _current() -> QuerySet[ModelServer, Row]:
    told = ContextSize.objects.filter(url=OuterRef("url"), model=OuterRef("model"))
    known = KnownModel.objects.filter(url=OuterRef("url"), model=OuterRef("model"))
    rows = ModelServer.objects.order_by("-updated_at", "-pk")
    return rows.values_list(
        *_COLUMNS,
        "sealed_key",
        Coalesce(Subquery(known.values("context_size")[:1]), Subquery(told.values("size")[:1])),
        Subquery(known.values("traits")[:1]),
    )[:1]


_CURRENT = Fixed(_current)
