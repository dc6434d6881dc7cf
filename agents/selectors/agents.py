"""Agents as everybody sees them."""

from __future__ import annotations

from typing import Literal

from agents.models import Agent
from maia_web.lib.values import Value


class AgentInfo(Value):
    """One agent of the site."""

    name: str
    title: str
    description: str
    kind: Literal["maia", "acp"]


def agents_list() -> tuple[AgentInfo, ...]:
    """Returns the enabled agents in the order of the site."""
    rows = Agent.objects.filter(enabled=True).values("name", "title", "description", "kind")
    return tuple(AgentInfo(**row) for row in rows)
