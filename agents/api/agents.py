"""REST: agents (seed S, AgentService.List), and what administrators change about them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router

from agents.api.schemas import AgentChangeIn
from agents.selectors.agents import agents_list
from agents.services.agents import AgentChange, change_agent

router = Router(tags=["agents"])


@router.get("", summary="List")
def list_agents(request: HttpRequest) -> list[dict[str, Any]]:
    """All agents in the order of the site."""
    return [agent.wire() for agent in agents_list()]


@router.patch("/{name}", summary="Change")
def change(request: HttpRequest, name: str, body: AgentChangeIn) -> dict[str, Any]:
    """Changes title, description or toolset of an agent (administrators); returns the agent.

    `toolset` is `maia`, or `mm` for the five compact tools; it counts from the next answer on.
    """
    wanted = AgentChange(**body.model_dump(exclude_none=True))
    return change_agent(int(request.user.pk or 0), name, wanted).wire()
