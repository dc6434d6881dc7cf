"""The inbox: every request that waits for me, in all workspaces."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from agents.selectors.agents import agents_list
from agents.selectors.permissions.policies import requests_waiting_for
from maia_web.pages.guards import signed_in
from workspaces.selectors import workspaces_of


@never_cache
@login_required
@require_GET
def inbox(request: HttpRequest) -> HttpResponse:
    """Shows the requests; the socket keeps the page true."""
    user = signed_in(request)
    page: dict[str, Any] = {
        "user": {"id": user.pk, "username": user.username, "name": user.name},
        "workspaces": [
            {"id": one.id, "name": one.name, "role": one.role} for one in workspaces_of(user.pk)
        ],
        "agents": [agent.name for agent in agents_list()],
    }
    waiting = requests_waiting_for(user.pk)
    context = {"inbox": page, "waiting": waiting, "here": request.path}
    return render(request, "pages/inbox.html", context)
