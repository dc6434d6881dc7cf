"""Known models: administrators say of one model of the site's server what nobody else tells."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.domain.model_servers.traits import Traits
from agents.models import ContextSize, KnownModel
from agents.selectors.models.servers import current_server
from agents.services.models.servers import check_number
from maia_web.lib.errors import InvalidInput

LONGEST_NAME = 200


@transaction.atomic
def say_of_model(name: str, *, context_size: int | None, written_calls: bool) -> None:
    """Keeps the size of a model, in tokens (None: what it or its server tells), and its traits.

    What was learned of it is forgotten, so that it is tried again. Raises `InvalidInput`.
    """
    server = current_server()
    name = name.strip()
    if server is None or server.kind == "demo":
        raise InvalidInput(_("Choose a model server first."), field="model")
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput(_("Enter the name of a model."), field="model")
    check_number("context_size", context_size)
    row, _new = KnownModel.objects.get_or_create(url=server.url, model=name)
    row.context_size = context_size
    row.traits = Traits(written_calls=written_calls).model_dump_json()
    row.save()


@transaction.atomic
def forget_model(name: str) -> None:
    """Forgets what was entered, told and learned of a model of the endpoint in force."""
    server = current_server()
    if server is not None:
        for rows in (KnownModel.objects, ContextSize.objects):
            rows.filter(url=server.url, model=name).delete()
