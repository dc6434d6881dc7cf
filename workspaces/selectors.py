"""Which workspaces a person reaches, and with which role."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.fixed import Fixed
from workspaces.domain.identity import Identity, agent_identity
from workspaces.domain.places import Role, WorkspaceAccess
from workspaces.models import Membership, Workspace

MEMBERS_PAGE = 100
FIRST_MEMBERS = 8
"""Of so many a conversation tells at once who they are."""
_RANK: dict[Role, int] = {"viewer": 0, "editor": 1, "owner": 2}


ACCESS = (
    "role",
    "user_id",
    "workspace__id",
    "workspace__number",
    "workspace__name",
    "workspace__personal_of_id",
    "workspace__network",
    "workspace__editors_answer",
)
"""The columns of a membership that `access_of` reads."""


def access_of(values: Sequence[Any]) -> WorkspaceAccess:
    """Returns the `ACCESS` of a membership as a value."""
    role, user, id, number, name, personal_of, network, editors_answer = values
    return WorkspaceAccess(
        id, number, name, role, user, personal_of == user, network, editors_answer
    )


def access_from(membership: Membership) -> WorkspaceAccess:
    """Returns a membership (its workspace selected with it) as a value."""
    return access_of([attrgetter(name.replace("__", "."))(membership) for name in ACCESS])


def memberships_of(user_id: int) -> QuerySet[Membership]:
    """Returns the memberships of a person, the workspaces with them; none once disabled."""
    theirs = Membership.objects.filter(user_id=user_id, user__is_active=True)
    return theirs.select_related("workspace")


def workspace_for(user_id: int, workspace_id: str, at_least: Role = "viewer") -> WorkspaceAccess:
    """Returns the workspace as this person reaches it.

    Raises NotFound if there is none or they are no (active) member, NotAllowed if their role is
    lower than `at_least`.
    """
    row = _IN_WORKSPACE.first(user_id, workspace_id)
    if row is None:
        raise NotFound(_("There is no such workspace."))
    access = access_of(row)
    if _RANK[access.role] < _RANK[at_least]:
        raise NotAllowed(_("Your role in this workspace does not allow this."))
    return access


def _in_workspace(user_id: int, workspace_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    return memberships_of(user_id).filter(workspace_id=workspace_id).values_list(*ACCESS)


_IN_WORKSPACE = Fixed(_in_workspace)


def workspaces_of(user_id: int) -> tuple[WorkspaceAccess, ...]:
    """Returns the workspaces of a person, their personal one first, then by name."""
    reached = [access_of(row) for row in _MEMBERSHIPS.rows(user_id)]
    return tuple(sorted(reached, key=lambda one: (not one.personal, one.name.casefold(), one.id)))


_MEMBERSHIPS = Fixed(lambda user_id: memberships_of(user_id).values_list(*ACCESS))


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


def agents_commit(workspace_id: str) -> bool:
    """Returns whether git names agents as committers of what they commit here."""
    rows = Workspace.objects.filter(pk=workspace_id).values_list("agents_commit", flat=True)
    return bool(rows.first())


def committer_of(workspace_id: str, agent: str) -> Identity | None:
    """Returns whom git names as committer of what an agent commits, None for the author."""
    return agent_identity(agent) if agents_commit(workspace_id) else None


Member = tuple[int, str, str, Role]
"""(user id, username, name, role)."""


def members_of(workspace_id: str) -> tuple[Member, ...]:
    """Returns each member, in the order they joined."""
    return tuple(map(_member, _members(workspace_id)))


def members_page(workspace_id: str, skip: int) -> tuple[Member, ...]:
    """Returns the members after the first so many, at most `MEMBERS_PAGE`."""
    return tuple(map(_member, _members(workspace_id)[skip : skip + MEMBERS_PAGE]))


def first_members(workspace_id: str) -> tuple[Member, ...]:
    """Returns the first `FIRST_MEMBERS`."""
    return tuple(map(_member, _FIRST_MEMBERS.rows(workspace_id)))


def _members(workspace_id: str) -> QuerySet[Membership, tuple[Any, ...]]:
    rows = Membership.objects.filter(workspace_id=workspace_id).order_by("pk")
    return rows.values_list("user_id", "user__username", "user__display_name", "role")


_FIRST_MEMBERS = Fixed(lambda workspace_id: _members(workspace_id)[:FIRST_MEMBERS])


def _member(row: tuple[Any, ...]) -> Member:
    user, username, shown, role = row
    return user, username, shown or username, role
