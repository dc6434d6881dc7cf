"""The people of the tests: alice owns, bob edits, vera reads, charlie is a stranger."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.contrib.auth.hashers import make_password

from agents.models import Agent
from maia_web.accounts.models import User
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import workspace_for
from workspaces.services import add_member, create_workspace

PASSWORD = "correct horse battery staple"


@dataclass(frozen=True, slots=True)
class Cast:
    """Four people around the workspace "atelier", and an administrator who is not in it."""

    alice: User
    bob: User
    vera: User
    charlie: User
    administrator: User
    atelier: WorkspaceAccess

    def access(self, user: User) -> WorkspaceAccess:
        """Returns "atelier" as this member reaches it."""
        return workspace_for(user.pk, self.atelier.id)


def make_user(username: str, *, administrator: bool = False) -> User:
    """Makes a person; sign in with `client.force_login(user)` or with PASSWORD."""
    return User.objects.create(
        username=username,
        password=_hashed(),
        display_name=username.capitalize(),
        is_staff=administrator,
        is_superuser=administrator,
    )


@cache
def _hashed() -> str:
    return make_password(PASSWORD)


def make_cast() -> Cast:
    """Makes everybody and the workspace (call it inside a test that has the database)."""
    # a test that begins with an empty database finds the built-in agent all the same
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia", "title": "MAIA"})
    alice, bob, vera, charlie = map(make_user, ("alice", "bob", "vera", "charlie"))
    administrator = make_user("admin", administrator=True)
    atelier = create_workspace(alice, "atelier")
    add_member(alice.pk, atelier.id, "bob", "editor")
    add_member(alice.pk, atelier.id, "vera", "viewer")
    return Cast(alice, bob, vera, charlie, administrator, atelier)
