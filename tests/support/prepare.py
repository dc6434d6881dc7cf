"""Fills a new data folder for a server under test: `python -m tests.support.prepare < wishes.json`.

Wishes: `{"people": [{"username", "administrator"}], "model": {"url", "model", …}}`. Prints what it
made: `{username: {"id", "workspace", "session"}}`. It runs in a process of its own because the
Django of a test has another database.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from typing import Any
from unittest.mock import patch

PASSWORD = "correct horse battery staple"


def main() -> None:
    """Reads the wishes from standard input."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    import django

    django.setup()
    from django.contrib.auth.hashers import make_password

    from maia_web.lib.schema import bring_up_to_date

    bring_up_to_date()
    # everybody has the same password, and its hash is slow on purpose
    with patch("django.contrib.auth.base_user.make_password", cache(make_password)):
        json.dump(_make(json.load(sys.stdin)), sys.stdout)


def _make(wishes: dict[str, Any]) -> dict[str, Any]:
    from agents.domain.model_servers.server import ModelServerSettings
    from agents.services.models.servers import save_model_server
    from maia_web.accounts.services import create_user
    from workspaces.services import personal_workspace

    if wishes.get("model"):
        wanted = dict(wishes["model"])
        save_model_server(ModelServerSettings(**wanted), key="")
    made = {}
    for person in wishes.get("people", ()):
        user = create_user(
            person["username"],
            PASSWORD,
            display_name=person["username"].capitalize(),
            administrator=person.get("administrator", False),
        )
        made[user.username] = {
            "id": user.pk,
            "workspace": personal_workspace(user).id,
            "session": session_of(user),
        }
    return made


def session_of(user: Any) -> str:
    """Returns the key of a session in which this person is signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


if __name__ == "__main__":
    main()
