"""Who is in a workspace: owners let people in, change what they may do, and take them out."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from maia_web.accounts.models import User
from maia_web.accounts.selectors import person
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from maia_web.lib.names.isolate import isolated
from maia_web.pages.forms import MemberForm
from maia_web.pages.guards import signed_in
from maia_web.pages.workspaces.page import back, for_members, refused, show
from workspaces.selectors import workspace_for
from workspaces.services import add_member, change_role, remove_member
from workspaces.terminals.host import terminals


@for_members
@require_POST
def add(request: HttpRequest, workspace: str) -> HttpResponse:
    """Lets a person of the site in."""
    access = workspace_for(signed_in(request).pk, workspace, at_least="owner")
    form = MemberForm(request.POST)
    if form.is_valid():
        username = User.normalize_username(form.cleaned_data["username"])
        try:
            add_member(access.user, workspace, username, form.cleaned_data["role"])
        except InvalidInput as error:
            form.add_service_error(error)
        except Conflict as error:
            return refused(request, workspace, error)
        else:
            return back(
                request, workspace, _("%(name)s is a member now.") % {"name": isolated(username)}
            )
    return show(request, access, form, status=422)


@for_members
@require_POST
def role(request: HttpRequest, workspace: str, member: int) -> HttpResponse:
    """Gives a member another role; one owner always stays."""
    try:
        change_role(signed_in(request).pk, workspace, member, request.POST.get("role", ""))
    except (Conflict, InvalidInput) as error:
        return refused(request, workspace, error)
    return back(request, workspace, _("Saved."))


@for_members
@require_POST
def remove(request: HttpRequest, workspace: str, member: int) -> HttpResponse:
    """Takes another member out; one's own way out is to leave."""
    access = workspace_for(signed_in(request).pk, workspace, at_least="owner")
    if member == access.user:
        raise NotFound
    try:
        remove_member(access.user, workspace, member)
    except Conflict as error:
        return refused(request, workspace, error)
    async_to_sync(terminals.close_in)(workspace, member)
    name = person(member).name
    return back(request, workspace, _("%(name)s is no longer a member.") % {"name": isolated(name)})
