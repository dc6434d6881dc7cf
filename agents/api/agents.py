"""REST: agents (seed S, AgentService.List)."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.selectors.agents import agents_list

router = Router(tags=["agents"])


@router.get("", summary="List")
def list_agents(request: HttpRequest) -> list[dict[str, str]]:
    """All agents in the order of the site."""
    return [agent.wire() for agent in agents_list()]
