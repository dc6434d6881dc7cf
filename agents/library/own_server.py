"""Own server: what a person's `~/.maia/settings.json` says of models, as far as it is allowed."""

from __future__ import annotations

from django.conf import settings

from agents.domain.library.own_server import FILE, OwnServer, OwnServerProblem, parse_own_server
from agents.library.found import text_of
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles

FoundServer = OwnServer | OwnServerProblem | None
"""What a person's file says of models, or why it cannot be used; None where it says nothing."""


def own_server(place: Place) -> FoundServer:
    """Reads the person's file. Never raises; in a thread, not for `in_db`.

    Where administrators allow no server of one's own, its numbers alone count.
    """
    try:
        return parse_own_server(_read(place), allowed=settings.OWN_MODEL_SERVERS)
    except OwnServerProblem as problem:
        return problem


def _read(place: Place) -> str:
    try:
        return text_of(LocalFiles(place), FILE)
    except FileError as error:
        if error.code == "not-found":
            return "{}"
        raise OwnServerProblem("read", cause=error.message) from error
