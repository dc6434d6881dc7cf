"""Traits: what is known of how a model of an endpoint is asked."""

from __future__ import annotations

from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.model_servers.traits import Traits
from agents.models import KnownModel


def traits_of(server: ModelServerInfo) -> Traits:
    """Returns the traits of the endpoint's model."""
    rows = KnownModel.objects.filter(url=server.url, model=server.model)
    return read_traits(rows.values_list("traits", flat=True).first())


def read_traits(kept: str | None) -> Traits:
    """Returns the traits that a row holds; none where there is no row."""
    return Traits.model_validate_json(kept) if kept else Traits()
