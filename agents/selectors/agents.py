"""Agents as everybody sees them."""

from __future__ import annotations

from agents.domain.content.agents import BUILT_IN, EXTERNAL
from agents.models import Agent
from maia_web.lib.values import Value


class AgentInfo(Value):
    """One agent of the site; `toolset` "mm" has the five compact tools.

    `kind` and `toolset` may be of a later version of MAIA: it is shown all the same.
    """

    name: str
    title: str
    description: str
    kind: str
    toolset: str = "maia"

    @property
    def is_built_in(self) -> bool:
        """Whether MAIA itself answers."""
        return self.kind == BUILT_IN

    @property
    def is_external(self) -> bool:
        """Whether a program of its own answers."""
        return self.kind == EXTERNAL


def agents_list() -> tuple[AgentInfo, ...]:
    """Returns the enabled agents in the order of the site."""
    return tuple(agent_info(row) for row in Agent.objects.filter(enabled=True))


def toolset_of(name: str) -> str:
    """Returns the toolset of an agent."""
    return Agent.objects.values_list("toolset", flat=True).get(name=name)


def agent_key(name: str) -> int | None:
    """Returns the key of the agent that is called so now."""
    return Agent.objects.filter(name=name).values_list("pk", flat=True).first()


def agent_info(row: Agent) -> AgentInfo:
    """Returns one agent as a value."""
    return AgentInfo(
        name=row.name,
        title=row.title,
        description=row.description,
        kind=row.kind,
        toolset=row.toolset,
    )
