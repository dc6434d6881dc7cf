"""The administrators' page about agents: what each is, which model and which tools it has."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.domain.content.agents import ToolsetName
from agents.models.agent import TOOLSETS
from agents.selectors.agents import AgentInfo, agents_list
from agents.selectors.models.servers import current_server
from agents.services.agents import AgentChange, change_agent
from maia_web.lib.errors import InvalidInput
from maia_web.pages.guards import administrators_only, signed_in
from maia_web.pages.workspaces.page import for_members


@never_cache
@administrators_only
@require_GET
def agents(request: HttpRequest) -> HttpResponse:
    """Lists the agents of the site."""
    return _show(request)


@administrators_only
@for_members
@require_POST
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Changes what an agent is called, what people read about it, and its tools."""
    try:
        made = change_agent(signed_in(request).pk, name, _wanted(request))
    except InvalidInput as error:
        typed = {one: request.POST.get(one, "") for one in ("title", "description", "toolset")}
        refused = {"name": name, "error": error.message, **typed}
        return _show(request, refused, status=422)
    done = _("Saved. %(name)s’s next answer uses it.") % {"name": made.name}
    messages.success(request, done)
    return redirect("agents")


def _wanted(request: HttpRequest) -> AgentChange:
    toolset = request.POST.get("toolset")
    if toolset is not None and toolset not in dict(TOOLSETS):
        raise InvalidInput(_("There is no such toolset."), field="toolset")
    return AgentChange(
        title=request.POST.get("title"),
        description=request.POST.get("description"),
        toolset=cast(ToolsetName | None, toolset),
    )


def _show(
    request: HttpRequest, refused: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    server = current_server()
    context = {
        "agents": [_row(one, refused) for one in agents_list()],
        "toolsets": (
            ("maia", _("MAIA’s tools"), _("Ten tools with rich answers; for capable models.")),
            ("mm", _("Five compact tools"), _("Few words, few tokens; for small models.")),
        ),
        "model": server.model if server and server.kind != "demo" else _("Demo model"),
    }
    return render(request, "pages/agents.html", context, status=status)


def _row(agent: AgentInfo, refused: dict[str, str] | None) -> dict[str, Any]:
    typed = refused if refused and refused["name"].casefold() == agent.name.casefold() else None
    shown = {"title": agent.title, "description": agent.description, "toolset": agent.toolset}
    return {"agent": agent, "error": "", **shown, **(typed or {})}
