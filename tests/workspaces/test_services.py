"""Who gets into a workspace, with which role, and who may change that."""

from __future__ import annotations

import os
import stat

import pytest
from django.conf import settings

from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tests.cast import Cast, make_user
from workspaces.domain.places import Role
from workspaces.models import Workspace
from workspaces.selectors import members_of, workspace_for, workspaces_of
from workspaces.services import (
    add_member,
    change_role,
    create_workspace,
    personal_workspace,
    remove_member,
    rename_workspace,
)


def test_a_stranger_and_an_unknown_workspace_get_the_same_answer(cast: Cast) -> None:
    with pytest.raises(NotFound) as stranger:
        workspace_for(cast.charlie.pk, cast.atelier.id)
    with pytest.raises(NotFound) as unknown:
        workspace_for(cast.charlie.pk, "nothing")
    assert stranger.value.as_dict() == unknown.value.as_dict()


def test_an_administrator_is_no_member(cast: Cast) -> None:
    with pytest.raises(NotFound):
        workspace_for(cast.administrator.pk, cast.atelier.id)


def test_a_disabled_person_reaches_nothing(cast: Cast) -> None:
    cast.bob.is_active = False
    cast.bob.save()
    with pytest.raises(NotFound):
        workspace_for(cast.bob.pk, cast.atelier.id)
    assert workspaces_of(cast.bob.pk) == ()


@pytest.mark.parametrize(
    ("who", "role", "allowed"),
    [
        ("alice", "owner", True),
        ("bob", "owner", False),
        ("bob", "editor", True),
        ("vera", "editor", False),
        ("vera", "viewer", True),
    ],
)
def test_roles_are_ranked(cast: Cast, who: str, role: Role, allowed: bool) -> None:
    user = getattr(cast, who)
    if allowed:
        assert workspace_for(user.pk, cast.atelier.id, role).id == cast.atelier.id
    else:
        with pytest.raises(NotAllowed):
            workspace_for(user.pk, cast.atelier.id, role)


def test_members_are_listed_in_the_order_they_joined(cast: Cast) -> None:
    assert members_of(cast.atelier.id) == (
        (cast.alice.pk, "alice", "Alice", "owner"),
        (cast.bob.pk, "bob", "Bob", "editor"),
        (cast.vera.pk, "vera", "Vera", "viewer"),
    )


def test_the_personal_workspace_is_made_once_and_comes_first(cast: Cast) -> None:
    first = personal_workspace(cast.alice)
    assert first.personal
    assert first.role == "owner"
    assert personal_workspace(cast.alice) == first
    assert [one.id for one in workspaces_of(cast.alice.pk)] == [first.id, cast.atelier.id]


def test_folders_are_closed_to_everybody_else(cast: Cast) -> None:
    workspace = settings.DATA / "workspaces" / cast.atelier.id
    home = settings.DATA / "homes" / str(cast.alice.pk)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    if os.geteuid() == 0:
        assert stat.S_IMODE(workspace.stat().st_mode) == 0o2770
        assert workspace.stat().st_gid == 200_000 + cast.atelier.number
        assert home.stat().st_uid == 200_000 + cast.alice.pk
    else:
        assert stat.S_IMODE(workspace.stat().st_mode) == 0o700


def test_numbers_are_unique_and_small(cast: Cast) -> None:
    second = create_workspace(cast.alice, "second")
    assert second.number == cast.atelier.number + 1
    assert Workspace.objects.values("number").distinct().count() == Workspace.objects.count()


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 65, "a\x00b", "a\x1bb", "a\u202eb", "\u200b", "\u200d", "a\u2066"]
)
def test_bad_names_are_refused(cast: Cast, name: str) -> None:
    with pytest.raises(InvalidInput):
        create_workspace(cast.alice, name)
    with pytest.raises(InvalidInput):
        rename_workspace(cast.alice.pk, cast.atelier.id, name)


def test_only_an_owner_manages_members(cast: Cast) -> None:
    for user in (cast.bob, cast.vera):
        with pytest.raises(NotAllowed):
            add_member(user.pk, cast.atelier.id, "charlie", "viewer")
        with pytest.raises(NotAllowed):
            change_role(user.pk, cast.atelier.id, user.pk, "owner")
        with pytest.raises(NotAllowed):
            remove_member(user.pk, cast.atelier.id, cast.alice.pk)
    with pytest.raises(NotFound):
        add_member(cast.charlie.pk, cast.atelier.id, "charlie", "owner")
    with pytest.raises(NotFound):
        remove_member(cast.charlie.pk, cast.atelier.id, cast.charlie.pk)


def test_a_member_may_leave_but_the_last_owner_stays(cast: Cast) -> None:
    remove_member(cast.bob.pk, cast.atelier.id, cast.bob.pk)
    with pytest.raises(NotFound):
        workspace_for(cast.bob.pk, cast.atelier.id)
    with pytest.raises(Conflict):
        remove_member(cast.alice.pk, cast.atelier.id, cast.alice.pk)
    with pytest.raises(Conflict):
        change_role(cast.alice.pk, cast.atelier.id, cast.alice.pk, "viewer")
    change_role(cast.alice.pk, cast.atelier.id, cast.vera.pk, "owner")
    remove_member(cast.alice.pk, cast.atelier.id, cast.alice.pk)
    assert workspace_for(cast.vera.pk, cast.atelier.id).role == "owner"


def test_adding_somebody_twice_changes_the_role(cast: Cast) -> None:
    add_member(cast.alice.pk, cast.atelier.id, " Ｂob\u00a0", "viewer")  # as they sign in
    assert workspace_for(cast.bob.pk, cast.atelier.id).role == "viewer"
    with pytest.raises(InvalidInput):
        add_member(cast.alice.pk, cast.atelier.id, "nobody", "viewer")
    with pytest.raises(InvalidInput):
        add_member(cast.alice.pk, cast.atelier.id, "charlie", "king")


def test_two_people_of_the_same_name_have_two_workspaces(db: None) -> None:
    one, two = make_user("one"), make_user("two")
    assert personal_workspace(one).id != personal_workspace(two).id
