"""Context sizes: how much the model of an agent takes in, as far as anybody said (seed M §13.2)."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import QuerySet

from agents.domain.model_servers.server import ModelServerInfo
from agents.models import ChannelAgent, ContextSize, KnownModel
from agents.selectors.models.servers import SiteServer, current_server, site_server
from agents.selectors.models.traits import traits_of
from maia_web.lib.fixed import Fixed, Row

DEMO_SIZE = 128_000


def chosen_model(channel_id: str, agent: str) -> str:
    """Returns the model chosen with /model for an agent of a channel, "" for the site's."""
    found = _CHOSEN.first(channel_id, agent)
    return found[0] if found else ""


def _chosen(channel_id: str, agent: str) -> QuerySet[ChannelAgent, Row]:
    rows = ChannelAgent.objects.filter(channel=channel_id, agent__name=agent)
    return rows.order_by().values_list("model")


_CHOSEN = Fixed(_chosen)


def server_with(model: str) -> ModelServerInfo | None:
    """Returns the site's endpoint with another model; its figure counts for its own model only."""
    server = current_server()
    return None if server is None else _with_model(server, model)


def site_model(model: str) -> SiteServer | None:
    """The same with its key and traits; `told` is then what `known_size` says.

    Mostly in one question.
    """
    site = site_server()
    if site is None:
        return None
    server = _with_model(site.server, model)
    own = server.model == site.server.model
    size = _size(server, site.told) if own else known_size(server)
    traits = site.traits if own else traits_of(server)
    return replace(site, server=server, told=size, traits=traits)


def known_size(server: ModelServerInfo | None) -> int:
    """Returns the size of the endpoint's model in tokens, 0 where it is unknown.

    The administrator's figure first, then what the server or the model itself told.
    """
    if server is None:
        return 0
    if server.context_size or server.kind == "demo":
        return _size(server, 0)
    of_it = {"url": server.url, "model": server.model}
    said = KnownModel.objects.filter(**of_it).values_list("context_size", flat=True).first()
    told = ContextSize.objects.filter(**of_it).values_list("size", flat=True)
    return _size(server, said or told.first() or 0)


def context_size(channel_id: str, agent: str) -> int:
    """Returns the size of an agent's context in a channel, 0 where it is unknown."""
    return known_size(server_with(chosen_model(channel_id, agent)))


def _with_model(server: ModelServerInfo, model: str) -> ModelServerInfo:
    if server.kind == "demo":
        return server.model_copy(update={"model": server.model or "demo"})
    if not model or model == server.model:
        return server
    return server.model_copy(update={"model": model, "context_size": None})


def _size(server: ModelServerInfo, told: int) -> int:
    return server.context_size or (DEMO_SIZE if server.kind == "demo" else told)
