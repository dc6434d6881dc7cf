"""Traits: what a model server refused is remembered for the next request to the same model."""

from __future__ import annotations

from django.db import transaction

from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.model_servers.traits import Traits
from agents.models import KnownModel
from agents.selectors.models.traits import read_traits


@transaction.atomic
def keep_traits(server: ModelServerInfo, traits: Traits) -> None:
    """Notes what was learned of the endpoint's model; what administrators said of it stays."""
    row, _new = KnownModel.objects.select_for_update().get_or_create(
        url=server.url, model=server.model
    )
    written = read_traits(row.traits).written_calls
    row.traits = traits.model_copy(update={"written_calls": written}).model_dump_json()
    row.save(update_fields=["traits"])


def forget_traits(server: ModelServerInfo) -> None:
    """Lets the model be asked as any other again: somebody has just chosen it."""
    if KnownModel.objects.filter(url=server.url, model=server.model).exists():
        keep_traits(server, Traits())
