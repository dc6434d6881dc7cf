"""The application: one page for every conversation; the socket brings everything that changes."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache

from agents.selectors.agents import agents_list
from agents.services.typed.slash_texts import slash_commands
from maia_web.accounts.models import User
from maia_web.lib.errors import NotFound
from maia_web.pages.context import theme_of
from maia_web.pages.guards import signed_in
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import workspace_for, workspaces_of

_PAGES = {
    "language": "language",
    "theme": "theme",
    "account": "account",
    "people": "people",
    "models": "models",
    "signIn": "sign-in",
    "inbox": "inbox",
    "rules": "rules",
}


@never_cache
@login_required
def app(request: HttpRequest, workspace: str = "", channel: str = "") -> HttpResponse:
    """Shows the application at a workspace and channel; 404 for a workspace that is not theirs.

    Whether the channel is theirs is answered by the socket, which opens it.
    """
    user = signed_in(request)
    workspaces = workspaces_of(user.pk)
    if workspace:
        _check(user, workspace)
    current = workspace or (workspaces[0].id if workspaces else "")
    return render(request, "app.html", {"page": _page(request, user, workspaces, current)})


def _check(user: User, workspace: str) -> None:
    try:
        workspace_for(user.pk, workspace)
    except NotFound as error:
        raise Http404(str(error)) from error


def _page(
    request: HttpRequest, user: User, workspaces: tuple[WorkspaceAccess, ...], current: str
) -> dict[str, Any]:
    return {
        "user": {"id": user.pk, "username": user.username, "name": user.name},
        "administrator": user.is_administrator,
        "language": (get_language() or "en").split("-")[0],
        "theme": theme_of(request),
        "release": settings.RELEASE,
        "workspace": current,
        "workspaces": [
            {"id": each.id, "name": each.name, "role": each.role, "personal": each.personal}
            for each in workspaces
        ],
        "commands": [info.wire() for info in slash_commands()],
        "agents": [agent.model_dump(mode="json", by_alias=True) for agent in agents_list()],
        "urls": {key: _address(name) for key, name in _PAGES.items()},
    }


def _address(name: str) -> str:
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""
