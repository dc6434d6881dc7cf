"""What people do with workspaces: make them, share them, leave them."""

from __future__ import annotations

from functools import partial

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from maia_web.accounts.models import User
from maia_web.lib import access, audit
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from maia_web.lib.names.folding import fold, is_printable
from workspaces.domain.places import Role, WorkspaceAccess
from workspaces.models import Membership, Workspace
from workspaces.sandboxes.folders import folders_of, trash_workspace
from workspaces.selectors import access_from, workspace_for

_ROLES: tuple[Role, ...] = ("owner", "editor", "viewer")
_ATTEMPTS = 20


def personal_workspace(user: User) -> WorkspaceAccess:
    """Returns the person's own workspace, made with its folders on first use."""
    membership = _personal_membership(user)
    if membership is None:
        try:
            membership = _make(user, user.name[:64] or user.username[:64], personal=True)
        except IntegrityError:  # another request made it just now
            membership = _personal_membership(user)
            if membership is None:
                raise
    return _with_folders(membership)


def create_workspace(user: User, name: str) -> WorkspaceAccess:
    """Makes a workspace this person owns; raises InvalidInput for a bad name."""
    made = _with_folders(_make(user, _checked_name(name)))
    access.changed(user.pk)
    return made


def rename_workspace(user_id: int, workspace_id: str, name: str) -> WorkspaceAccess:
    """Renames the workspace; only its owners may."""
    workspace_for(user_id, workspace_id, at_least="owner")
    Workspace.objects.filter(pk=workspace_id).update(name=_checked_name(name))
    _tell_members(workspace_id)
    return workspace_for(user_id, workspace_id)


@transaction.atomic
def change_workspace(
    user_id: int, workspace_id: str, name: str | None = None, agents_commit: bool | None = None
) -> WorkspaceAccess:
    """Changes what is given, all or nothing; only owners may.

    `agents_commit`: git names agents as committers of what they commit.
    """
    access = workspace_for(user_id, workspace_id, at_least="owner")
    if agents_commit is not None:
        Workspace.objects.filter(pk=workspace_id).update(agents_commit=agents_commit)
        facts = {"agentsCommit": agents_commit}
        audit.tell(audit.Happened("setting", "git", user_id, workspace_id, facts))
    return access if name is None else rename_workspace(user_id, workspace_id, name)


def add_member(user_id: int, workspace_id: str, username: str, role: str) -> None:
    """Lets another person in; only owners may. A member already there gets the new role."""
    workspace_for(user_id, workspace_id, at_least="owner")
    username = User.normalize_username(username.strip())
    person = get_user_model().objects.filter(username=username, is_active=True).first()
    if person is None:
        raise InvalidInput(_("Nobody has this user name."), field="username")
    if Membership.objects.filter(workspace_id=workspace_id, user_id=person.pk).exists():
        change_role(user_id, workspace_id, person.pk, role)
    else:
        Membership.objects.create(
            workspace_id=workspace_id, user_id=person.pk, role=_checked_role(role)
        )
        _tell("joined", user_id, workspace_id, person.get_username(), role)
        access.changed(person.pk)


def change_role(user_id: int, workspace_id: str, member_id: int, role: str) -> None:
    """Gives a member another role; only owners may. Raises Conflict for the last owner."""
    workspace_for(user_id, workspace_id, at_least="owner")
    checked = _checked_role(role)
    with transaction.atomic():
        membership = _locked_member(workspace_id, member_id)
        if checked != "owner":
            _refuse_its_person(membership)
            _refuse_last_owner(membership)
        membership.role = checked
        membership.save(update_fields=["role"])
        _tell("changed", user_id, workspace_id, membership.user.username, checked)
        access.changed(member_id)


def remove_member(user_id: int, workspace_id: str, member_id: int) -> None:
    """Takes a member out: owners anybody, everybody themselves; never the last owner."""
    workspace_for(user_id, workspace_id, at_least="viewer" if user_id == member_id else "owner")
    with transaction.atomic():
        membership = _locked_member(workspace_id, member_id)
        _refuse_its_person(membership)
        _refuse_last_owner(membership)
        membership.delete()
        _tell("left", user_id, workspace_id, membership.user.username)
        access.changed(member_id)


@transaction.atomic
def delete_workspace(user_id: int, workspace_id: str, typed: str) -> None:
    """Deletes a workspace, `typed` being its name; only owners may. Its folder goes to the trash.

    Everything in the database that belongs to it goes too: what answers there must have ended,
    which `agents.services.channels.workspaces` checks. Raises Conflict for a personal workspace,
    InvalidInput if the name is another.
    """
    workspace_for(user_id, workspace_id, at_least="owner")
    workspace = Workspace.objects.select_for_update().get(pk=workspace_id)
    if workspace.personal_of_id is not None:
        raise Conflict(_("A personal workspace stays as long as its person."), code="personal")
    if " ".join(typed.split()) != workspace.name:
        raise InvalidInput(_("This is not the name of the workspace."), field="typed")
    _tell_members(workspace_id)
    workspace.delete()
    transaction.on_commit(partial(trash_workspace, workspace_id), robust=True)


def _tell_members(workspace_id: str) -> None:
    members = Membership.objects.filter(workspace_id=workspace_id)
    for member in members.values_list("user_id", flat=True):
        access.changed(member)


def _tell(what: str, by: int, workspace_id: str, person: str, role: str = "") -> None:
    facts = {"person": person, "role": role} if role else {"person": person}
    audit.tell(audit.Happened("role", what, by, workspace_id, facts))


def _personal_membership(user: User) -> Membership | None:
    return (
        Membership.objects.select_related("workspace")
        .filter(user=user, workspace__personal_of=user)
        .first()
    )


def _with_folders(membership: Membership) -> WorkspaceAccess:
    access = access_from(membership)
    folders_of(access.place)
    return access


def _make(user: User, name: str, *, personal: bool = False) -> Membership:
    """Takes the next free number; two at once meet at the unique constraint and try again."""
    for attempt in range(_ATTEMPTS):
        number = (Workspace.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        try:
            with transaction.atomic():
                workspace = Workspace.objects.create(
                    number=number, name=name, personal_of=user if personal else None
                )
                return Membership.objects.create(workspace=workspace, user=user, role="owner")
        except IntegrityError:
            taken = Workspace.objects.filter(number=number).exists()
            if not taken or attempt == _ATTEMPTS - 1:
                raise
            if personal and _personal_membership(user):
                raise
    raise AssertionError("unreachable")


def _locked_member(workspace_id: str, member_id: int) -> Membership:
    """Locks the workspace's owners too, so that two owners cannot leave at the same time."""
    list(
        Membership.objects.select_for_update()
        .filter(workspace_id=workspace_id, role="owner")
        .order_by("pk")
    )
    membership = (
        Membership.objects.select_for_update()
        .filter(workspace_id=workspace_id, user_id=member_id)
        .first()
    )
    if membership is None:
        raise NotFound(_("This person is not a member."))
    return membership


def _refuse_last_owner(membership: Membership) -> None:
    others = Membership.objects.filter(workspace_id=membership.workspace_id, role="owner").exclude(
        pk=membership.pk
    )
    if membership.role == "owner" and not others.exists():
        raise Conflict(_("A workspace needs an owner."), code="last-owner")


def _refuse_its_person(membership: Membership) -> None:
    if membership.workspace.personal_of_id == membership.user_id:
        raise Conflict(_("A personal workspace keeps its person as owner."), code="personal")


def _checked_name(name: str) -> str:
    cleaned = " ".join(name.split())
    if not fold(cleaned) or len(cleaned) > 64:
        raise InvalidInput(_("A name has 1 to 64 characters."), field="name")
    if not is_printable(cleaned):
        raise InvalidInput(_("A name has no control characters."), field="name")
    return cleaned


def _checked_role(role: str) -> Role:
    for known in _ROLES:
        if role == known:
            return known
    raise InvalidInput(_("A role is owner, editor or viewer."), field="role")
