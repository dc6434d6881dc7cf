"""Workspaces: a new one, its settings, leaving it and deleting it."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.services.channels.workspaces import delete_workspace
from maia_web.lib.errors import Conflict, InvalidInput
from maia_web.lib.names.isolate import isolated
from maia_web.pages.forms import DeleteWorkspaceForm, LeaveForm, WorkspaceForm
from maia_web.pages.guards import signed_in
from maia_web.pages.workspaces.page import back, for_members, refused, show
from workspaces.selectors import workspace_for
from workspaces.services import change_workspace, create_workspace, remove_member, rename_workspace
from workspaces.terminals.host import terminals


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def new_workspace(request: HttpRequest) -> HttpResponse:
    """Asks for a name; POST makes the workspace and goes there."""
    form = WorkspaceForm.posted(request)
    if request.method == "POST" and form.is_valid():
        try:
            made = create_workspace(signed_in(request), form.cleaned_data["name"])
        except InvalidInput as error:
            form.add_service_error(error)
        else:
            return redirect("app-workspace", made.id)
    status = 422 if request.method == "POST" else 200
    return render(request, "pages/workspace_new.html", {"form": form}, status=status)


@for_members
@require_GET
def settings(request: HttpRequest, workspace: str) -> HttpResponse:
    """Shows name, members, sandbox and terminals to every member."""
    return show(request, workspace_for(signed_in(request).pk, workspace))


@for_members
@require_POST
def rename(request: HttpRequest, workspace: str) -> HttpResponse:
    """Renames the workspace; owners only."""
    access = workspace_for(signed_in(request).pk, workspace, at_least="owner")
    form = WorkspaceForm(request.POST)
    if form.is_valid():
        try:
            rename_workspace(access.user, workspace, form.cleaned_data["name"])
        except InvalidInput as error:
            form.add_service_error(error)
        else:
            return back(request, workspace, _("Saved."))
    return show(request, access, form, status=422)


@for_members
@require_POST
def git(request: HttpRequest, workspace: str) -> HttpResponse:
    """Says whom git names as committer of what agents commit; owners only."""
    agents_commit = request.POST.get("agents_commit") == "on"
    change_workspace(signed_in(request).pk, workspace, agents_commit=agents_commit)
    return back(request, workspace, _("Saved."))


@for_members
@require_POST
def leave(request: HttpRequest, workspace: str) -> HttpResponse:
    """Takes the person out, who must say so twice; the last owner stays."""
    access = workspace_for(signed_in(request).pk, workspace)
    form = LeaveForm(request.POST)
    if not form.is_valid():
        return show(request, access, form, status=422)
    try:
        remove_member(access.user, workspace, access.user)
    except Conflict as error:
        return refused(request, workspace, error)
    async_to_sync(terminals.close_in)(workspace, access.user)
    return redirect("app")


@for_members
@require_POST
def delete(request: HttpRequest, workspace: str) -> HttpResponse:
    """Deletes the workspace whose name was typed; owners only, and not while an agent answers."""
    access = workspace_for(signed_in(request).pk, workspace, at_least="owner")
    form = DeleteWorkspaceForm(request.POST)
    try:
        if form.is_valid():
            delete_workspace(access.user, workspace, form.cleaned_data["typed"])
            async_to_sync(terminals.close_in)(workspace)
            return redirect("app")
    except InvalidInput as error:
        form.add_service_error(error)
    except Conflict as error:
        return refused(request, workspace, error)
    return show(request, access, form, status=422)


@for_members
@require_POST
def close_terminal(request: HttpRequest, workspace: str, terminal: str) -> HttpResponse:
    """Closes one of the person's own terminals."""
    access = workspace_for(signed_in(request).pk, workspace)
    found = terminals.get(access.user, terminal)
    async_to_sync(terminals.close)(found)
    return back(request, workspace, _("%(name)s is closed.") % {"name": isolated(found.name)})
