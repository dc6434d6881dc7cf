"""Agents: what administrators change about them."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.domain.content.agents import ToolsetName
from agents.models import Agent
from agents.selectors.agents import AgentInfo, agent_info
from agents.selectors.people import administrator
from agents.services import audit
from maia_web.lib.errors import InvalidInput, NotFound
from maia_web.lib.values import Value

LONGEST_TITLE = 120
LONGEST_DESCRIPTION = 2_000


class AgentChange(Value):
    """What becomes different; None stays as it is. `toolset` counts from the next answer on."""

    title: str | None = None
    description: str | None = None
    toolset: ToolsetName | None = None


@transaction.atomic
def change_agent(user_id: int, name: str, change: AgentChange) -> AgentInfo:
    """Changes an agent and returns it as it is now; for administrators.

    Raises `NotAllowed`, `NotFound`, `InvalidInput` naming the field.
    """
    administrator(user_id)
    row = Agent.objects.select_for_update().filter(name__iexact=name).first()
    if row is None:
        raise NotFound(_("There is no such agent."))
    values = change.model_dump(by_alias=False, exclude_none=True)
    _check(row, change)
    for field, value in values.items():
        setattr(row, field, value.strip())
    row.save(update_fields=list(values))
    if values:
        audit.record("setting", "agent", user=user_id, input={"agent": row.name, **values})
    return agent_info(row)


def _check(row: Agent, change: AgentChange) -> None:
    if change.toolset is not None and not row.is_built_in:
        raise InvalidInput(_("An external agent brings its own tools."), field="toolset")
    lengths = (("title", LONGEST_TITLE), ("description", LONGEST_DESCRIPTION))
    for field, longest in lengths:
        if len(getattr(change, field) or "") > longest:
            text = _("At most %(max)d characters.") % {"max": longest}
            raise InvalidInput(text, field=field)
