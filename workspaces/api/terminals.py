"""REST: terminals (seed S, TerminalService); their bytes go over `/ws/terminal/<id>`."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import Field

from maia_web.accounts.selectors import present
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput, MaiaError
from maia_web.lib.names.folding import is_printable_sign
from workspaces.api.people import person
from workspaces.domain.places import Place
from workspaces.selectors import workspace_for
from workspaces.terminals.frames import MAX_COLUMNS, MAX_ROWS
from workspaces.terminals.host import terminals
from workspaces.terminals.terminal import Terminal

router = Router(tags=["terminals"])
own_router = Router(tags=["terminals"])


class OpenIn(Schema):
    """The size of the screen in characters, and a name for the tab."""

    cols: int = Field(80, ge=2, le=MAX_COLUMNS)
    rows: int = Field(24, ge=1, le=MAX_ROWS)
    name: str = ""


class NameIn(Schema):
    """A name for the tab."""

    name: str


def _shown(terminal: Terminal) -> dict[str, Any]:
    return {"id": terminal.id, "name": terminal.name, "code": terminal.code}


def _own(request: HttpRequest, terminal: str) -> Terminal:
    """Returns a terminal of this person, as long as their role lets them have one."""
    user = person(request).pk
    found = terminals.get(user, terminal)
    workspace_for(user, found.place.workspace, "editor")
    return found


class Opener:
    """Who opened a terminal: it is theirs as long as that session lasts and their role allows."""

    def __init__(self, place: Place, session: str | None) -> None:
        self._place = place
        self._session = session

    async def may_have(self) -> bool:
        """Returns whether they may still have it."""
        allowed: bool = await in_db(self._look)()
        return allowed

    def _look(self) -> bool:
        found = present(self._place.user, self._session)
        if found is None:
            return False
        self._session = found.session
        try:
            workspace_for(self._place.user, self._place.workspace, "editor")
        except MaiaError:
            return False
        return True


def _name(text: str) -> str:
    cleaned = "".join(filter(is_printable_sign, text)).strip()
    if len(cleaned) > 64:
        raise InvalidInput(_("A name has 1 to 64 characters."), field="name")
    return cleaned


@router.get("/{workspace}/terminals", summary="The person's terminals here")
def list_terminals(request: HttpRequest, workspace: str) -> list[dict[str, Any]]:
    """This person's shells in the workspace, oldest first; never anybody else's."""
    access = workspace_for(person(request).pk, workspace, "editor")
    return [_shown(terminal) for terminal in terminals.of(access.user, access.id)]


@router.post("/{workspace}/terminals", summary="Open", response={201: dict[str, Any]})
def open_terminal(request: HttpRequest, workspace: str, body: OpenIn) -> Status[dict[str, Any]]:
    """Starts a shell in the person's sandbox; at most ten at once. It ends with this session."""
    place = workspace_for(person(request).pk, workspace, "editor").place
    opener = Opener(place, request.session.session_key)

    async def start() -> Terminal:
        return await terminals.open(place, body.cols, body.rows, opener.may_have, _name(body.name))

    return Status(201, _shown(async_to_sync(start)()))


@own_router.patch("/{terminal}", summary="Rename")
def rename_terminal(request: HttpRequest, terminal: str, body: NameIn) -> dict[str, Any]:
    """Renames a tab."""
    found = _own(request, terminal)
    found.name = _name(body.name) or found.name
    return _shown(found)


@own_router.delete("/{terminal}", summary="Close", response={204: None})
def close_terminal(request: HttpRequest, terminal: str) -> Status[None]:
    """Hangs up the shell and everything it started, then kills what is left after a second."""
    async_to_sync(terminals.close)(_own(request, terminal))
    return Status(204, None)
