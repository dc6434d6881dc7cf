"""People, many at once, each signed in; for a process whose Django has the data of a server."""

from __future__ import annotations

import itertools
import os
from typing import Any

PASSWORD = "correct horse battery staple"
QUICK = "django.contrib.auth.hashers.MD5PasswordHasher"
_numbers = itertools.count()


def people(count: int, together: bool) -> list[dict[str, Any]]:
    """Makes accounts, all in one workspace or each with its own: `id`, `session`, `workspace`."""
    from django.db import transaction
    from django.test import override_settings

    # Nobody signs in with these passwords: hashing them well takes a minute for 1,000.
    with override_settings(PASSWORD_HASHERS=[QUICK]), transaction.atomic():
        users = [_user() for _ in range(count)]
        places = _together(users) if together else _apart(users)
        return [
            {"id": user.pk, "session": _session(user), "workspace": place}
            for user, place in zip(users, places, strict=True)
        ]


def _user() -> Any:
    from maia_web.accounts.services import create_user

    name = f"person-{os.getpid()}-{next(_numbers)}"
    return create_user(name, PASSWORD, display_name=name)


def _session(user: Any) -> str:
    from tests.support.prepare import session_of

    return session_of(user)


def _together(users: list[Any]) -> list[str]:
    from workspaces.models import Membership
    from workspaces.services import create_workspace

    owner, *others = users
    place = create_workspace(owner, f"{len(users)} people {os.getpid()}").id
    Membership.objects.bulk_create(
        Membership(workspace_id=place, user=user, role="editor") for user in others
    )
    return [place] * len(users)


def _apart(users: list[Any]) -> list[str]:
    from workspaces.services import personal_workspace

    return [personal_workspace(user).id for user in users]
