"""Which workspaces a person reaches, and with which role."""

from __future__ import annotations

from typing import cast

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from maia_web.lib.errors import NotAllowed, NotFound
from workspaces.domain.places import Network, Role, WorkspaceAccess
from workspaces.models import Membership, Workspace

_RANK: dict[Role, int] = {"viewer": 0, "editor": 1, "owner": 2}


def access_from(membership: Membership) -> WorkspaceAccess:
    """Returns a membership (its workspace selected with it) as a value."""
    workspace = membership.workspace
    return WorkspaceAccess(
        id=workspace.id,
        number=workspace.number,
        name=workspace.name,
        role=cast(Role, membership.role),
        user=membership.user_id,
        personal=workspace.personal_of_id == membership.user_id,
        network=cast(Network, workspace.network),
        editors_answer=workspace.editors_answer,
    )


def memberships_of(user_id: int) -> QuerySet[Membership]:
    """Returns the memberships of a person, the workspaces with them; none once disabled."""
    theirs = Membership.objects.filter(user_id=user_id, user__is_active=True)
    return theirs.select_related("workspace")


def workspace_for(user_id: int, workspace_id: str, at_least: Role = "viewer") -> WorkspaceAccess:
    """Returns the workspace as this person reaches it.

    Raises NotFound if there is none or they are no (active) member, NotAllowed if their role is
    lower than `at_least`.
    """
    membership = memberships_of(user_id).filter(workspace_id=workspace_id).first()
    if membership is None:
        raise NotFound(_("There is no such workspace."))
    access = access_from(membership)
    if _RANK[access.role] < _RANK[at_least]:
        raise NotAllowed(_("Your role in this workspace does not allow this."))
    return access


def workspaces_of(user_id: int) -> tuple[WorkspaceAccess, ...]:
    """Returns the workspaces of a person, their personal one first, then by name."""
    reached = [access_from(membership) for membership in memberships_of(user_id)]
    return tuple(sorted(reached, key=lambda one: (not one.personal, one.name.casefold(), one.id)))


def all_workspaces() -> tuple[tuple[str, str], ...]:
    """Returns (id, name) of every workspace, by name: for administrators."""
    return tuple(Workspace.objects.order_by("name", "id").values_list("id", "name"))


def person_of(workspace_id: str) -> int | None:
    """Returns whose personal workspace this is, None if it is nobody's."""
    found = Workspace.objects.filter(pk=workspace_id).values_list("personal_of_id", flat=True)
    return found.first()


def request_settings(workspace_id: str) -> tuple[bool, int]:
    """Returns whether editors may answer permission requests, and the hours these wait."""
    rows = Workspace.objects.values_list("editors_answer", "request_hours")
    return rows.get(pk=workspace_id)


def members_of(workspace_id: str) -> tuple[tuple[int, str, str, Role], ...]:
    """Returns (user id, username, name, role) of each member, in the order they joined."""
    rows = Membership.objects.filter(workspace_id=workspace_id).order_by("joined_at", "pk")
    columns = rows.values_list("user_id", "user__username", "user__display_name", "role")
    return tuple(
        (user, login, shown or login, cast(Role, role)) for user, login, shown, role in columns
    )
