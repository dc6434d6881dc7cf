"""REST: workspaces and who is in them."""

from __future__ import annotations

from typing import Annotated, Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from workspaces import services
from workspaces.api.people import person
from workspaces.domain.places import WorkspaceAccess
from workspaces.sandboxes import sandbox_status
from workspaces.selectors import (
    Member,
    agents_commit,
    members_of,
    members_page,
    workspace_for,
    workspaces_of,
)

router = Router(tags=["workspaces"])
MOST_SKIPPED = 2**31 - 1


class NameIn(Schema):
    """A name of 1 to 64 characters."""

    name: str


class ChangeIn(Schema):
    """What is to change: the name; whether git names agents as committers of what they commit."""

    name: str | None = None
    agentsCommit: bool | None = None


class MemberIn(Schema):
    """A person by their user name, and the role they get."""

    username: str
    role: str = "editor"


class RoleIn(Schema):
    """A role: owner, editor or viewer."""

    role: str


def _shown(access: WorkspaceAccess) -> dict[str, Any]:
    return {
        "id": access.id,
        "name": access.name,
        "role": access.role,
        "personal": access.personal,
        "network": access.network,
    }


def _members(workspace: str) -> list[dict[str, Any]]:
    return _shown_members(members_of(workspace))


def _shown_members(members: tuple[Member, ...]) -> list[dict[str, Any]]:
    return [
        {"id": user, "username": username, "name": name, "role": role}
        for user, username, name, role in members
    ]


@router.get("", summary="The person's workspaces")
def list_workspaces(request: HttpRequest) -> list[dict[str, Any]]:
    """The workspaces this person reaches, the personal one first."""
    return [_shown(access) for access in workspaces_of(person(request).pk)]


@router.post("", summary="Make a workspace", response={201: dict[str, Any]})
def create_workspace(request: HttpRequest, body: NameIn) -> Status[dict[str, Any]]:
    """Makes a workspace this person owns."""
    return Status(201, _shown(services.create_workspace(person(request), body.name)))


@router.get("/{workspace}", summary="One workspace")
def one_workspace(request: HttpRequest, workspace: str) -> dict[str, Any]:
    """A workspace with its members."""
    access = workspace_for(person(request).pk, workspace)
    return {**_whole(access), "members": _members(workspace)}


@router.patch("/{workspace}", summary="Change")
def change_workspace(request: HttpRequest, workspace: str, body: ChangeIn) -> dict[str, Any]:
    """Changes what is given of a workspace; owners only."""
    user = person(request).pk
    change = (body.name, body.agentsCommit)
    return _whole(services.change_workspace(user, workspace, *change))


def _whole(access: WorkspaceAccess) -> dict[str, Any]:
    return {**_shown(access), "agentsCommit": agents_commit(access.id)}


@router.get("/{workspace}/status", summary="How commands run here")
def status(request: HttpRequest, workspace: str) -> dict[str, Any]:
    """The runtime of this person's sandbox, and what is wrong with it."""
    place = workspace_for(person(request).pk, workspace).place
    return async_to_sync(sandbox_status)(place).wire()


@router.get("/{workspace}/members", summary="Members")
def list_members(
    request: HttpRequest, workspace: str, skip: Annotated[int, Field(ge=0, le=MOST_SKIPPED)] = 0
) -> list[dict[str, Any]]:
    """The people in the workspace in the order they joined, at most 100 after the first `skip`."""
    workspace_for(person(request).pk, workspace)
    return _shown_members(members_page(workspace, skip))


@router.post("/{workspace}/members", summary="Add a member")
def add_member(request: HttpRequest, workspace: str, body: MemberIn) -> list[dict[str, Any]]:
    """Lets a person in; owners only."""
    services.add_member(person(request).pk, workspace, body.username, body.role)
    return _members(workspace)


@router.patch("/{workspace}/members/{member}", summary="Change a role")
def change_role(
    request: HttpRequest, workspace: str, member: int, body: RoleIn
) -> list[dict[str, Any]]:
    """Gives a member another role; owners only, and one owner always stays."""
    services.change_role(person(request).pk, workspace, member, body.role)
    return _members(workspace)


@router.delete("/{workspace}/members/{member}", summary="Remove a member", response={204: None})
def remove_member(request: HttpRequest, workspace: str, member: int) -> Status[None]:
    """Takes a member out: owners anybody, everybody themselves."""
    services.remove_member(person(request).pk, workspace, member)
    return Status(204, None)
