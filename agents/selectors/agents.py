"""Agents as everybody sees them."""

from __future__ import annotations

from typing import Literal, cast

from agents.models import Agent
from maia_web.lib.values import Value

Kind = Literal["maia", "acp"]
Toolset = Literal["maia", "mm"]


class AgentInfo(Value):
    """One agent of the site; `toolset` "mm" has the five compact tools."""

    name: str
    title: str
    description: str
    kind: Kind
    toolset: Toolset = "maia"


def agents_list() -> tuple[AgentInfo, ...]:
    """Returns the enabled agents in the order of the site."""
    return tuple(agent_info(row) for row in Agent.objects.filter(enabled=True))


def toolset_of(name: str) -> str:
    """Returns the toolset of an agent."""
    return Agent.objects.values_list("toolset", flat=True).get(name=name)


def agent_info(row: Agent) -> AgentInfo:
    """Returns one agent as a value."""
    return AgentInfo(
        name=row.name,
        title=row.title,
        description=row.description,
        kind=cast(Kind, row.kind),
        toolset=cast(Toolset, row.toolset),
    )
