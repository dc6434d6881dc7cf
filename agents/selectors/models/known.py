"""Known models: what administrators said of single models of the site's server."""

from __future__ import annotations

from agents.domain.model_servers.traits import Traits
from agents.models import ContextSize, KnownModel
from agents.selectors.models.servers import current_server
from agents.selectors.models.traits import read_traits
from maia_web.lib.values import Value


class ModelFacts(Value):
    """A model of the site's server: sizes in tokens, as entered and as it was told otherwise."""

    model: str
    context_size: int | None = None
    told_size: int | None = None
    traits: Traits = Traits()


def known_models() -> tuple[ModelFacts, ...]:
    """Returns the models of the endpoint in force of which anything is known, by name."""
    server = current_server()
    if server is None or server.kind == "demo":
        return ()
    said = {row.model: row for row in KnownModel.objects.filter(url=server.url)}
    told = dict(ContextSize.objects.filter(url=server.url).values_list("model", "size"))
    entered = {name: row.context_size for name, row in said.items()}
    if server.context_size:
        entered[server.model] = server.context_size
    return tuple(
        ModelFacts(
            model=name,
            context_size=entered.get(name),
            told_size=told.get(name),
            traits=read_traits(said[name].traits if name in said else ""),
        )
        for name in sorted({*said, *told}, key=str.casefold)
    )
