"""The settings page of a workspace: who may ask for it, and what it shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from agents.library.found import library_of
from agents.library.settings_files import settings_files
from agents.selectors.warnings import library_warnings, settings_warnings
from maia_web.accounts.selectors import people
from maia_web.lib.errors import MaiaError, NotAllowed, NotFound
from maia_web.pages.forms import DeleteWorkspaceForm, LeaveForm, MemberForm, WorkspaceForm
from maia_web.pages.forms.base import PageForm
from maia_web.pages.forms.workspaces import PEOPLE, ROLES
from workspaces.domain.places import Place, WorkspaceAccess
from workspaces.sandboxes import sandbox_status
from workspaces.selectors import agents_commit, members_of, person_of
from workspaces.terminals.host import terminals

View = Callable[..., HttpResponse]


def for_members(view: View) -> View:
    """Answers strangers as if nothing were there, and members below the role with 403."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.message) from None
        except NotAllowed as error:
            raise PermissionDenied(error.message) from None

    guarded_view: View = never_cache(login_required(guarded))
    return guarded_view


def show(
    request: HttpRequest, access: WorkspaceAccess, *refused: PageForm, status: int = 200
) -> HttpResponse:
    """Shows the settings, with what was typed into the forms that were refused."""
    forms = {
        "name_form": WorkspaceForm(initial={"name": access.name}),
        "member_form": MemberForm(),
        "leave_form": LeaveForm(),
        "delete_form": DeleteWorkspaceForm(),
    }
    names = {type(form): name for name, form in forms.items()}
    forms |= {names[type(form)]: form for form in refused}
    context = {**_facts(access), **forms, "here": reverse("workspace-settings", args=[access.id])}
    return render(request, "pages/workspace_settings.html", context, status=status)


def back(request: HttpRequest, workspace: str, done: str) -> HttpResponse:
    """Goes to the settings again, which say what was done."""
    messages.success(request, done)
    return redirect("workspace-settings", workspace)


def refused(request: HttpRequest, workspace: str, error: MaiaError) -> HttpResponse:
    """Goes to the settings again, which say why not."""
    messages.error(request, error.message)
    return redirect("workspace-settings", workspace)


def _facts(access: WorkspaceAccess) -> dict[str, Any]:
    members = members_of(access.id)
    owners = [user for user, _username, _name, role in members if role == "owner"]
    inside = {user for user, *_rest in members}
    its_person = person_of(access.id)
    owner = access.role == "owner"
    active = people().filter(is_active=True)
    return {
        "workspace": access,
        "owner": owner,
        "members": members,
        "its_person": its_person,
        "stays": owners == [access.user],
        "agents_commit": agents_commit(access.id),
        "roles": ROLES,
        "people_list": PEOPLE,
        "others": active.exclude(pk__in=inside) if owner else (),
        "sandbox": async_to_sync(sandbox_status)(access.place),
        "terminals": terminals.of(access.user, access.id),
        "library": _library(access.place),
    }


def _library(place: Place) -> dict[str, Any]:
    """Returns skills and tools as (name, description, whose), and what is broken in words."""
    found = library_of(place)
    whose = {"workspace": _("workspace"), "team": _("team"), "home": _("yours")}
    return {
        "instructions": found.instructions,
        "skills": [(one.name, one.description, whose[one.source]) for one in found.skills],
        "tools": [(one.tool.name, one.tool.description, whose[one.source]) for one in found.tools],
        "warnings": [*settings_warnings(settings_files(place)), *library_warnings(found)],
    }
