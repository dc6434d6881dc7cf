"""REST: the sessions of a channel, slash commands, and what fills a context (seed M §12, §13)."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from ninja import File, Router, Schema, Status, UploadedFile
from pydantic import Field

from agents.runtime.answering.context_meter import context_parts, measure
from agents.selectors.conversation.channels import channel_for
from agents.selectors.sessions import session_file, session_row, sessions_of
from agents.services.memory import named_sessions
from agents.services.memory.named_sessions import LARGEST_FILE
from agents.services.typed.slash_texts import slash_commands

router = Router(tags=["sessions"])
commands_router = Router(tags=["channels"])


class AgentChoice(Schema):
    """Whose session; "" for the one who answers here."""

    agent: Annotated[str, Field(max_length=64)] = ""


class NameIn(Schema):
    """A session's new name."""

    name: Annotated[str, Field(max_length=400)]


class SessionsIn(Schema):
    """Several sessions."""

    ids: Annotated[list[int], Field(max_length=1_000)]


def _user(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


@router.get("/{channel}/sessions", summary="List sessions")
def list_sessions(
    request: HttpRequest, channel: str, agent: str = "", search: str = ""
) -> list[dict[str, Any]]:
    """The sessions that hold something: the current ones first, then the latest."""
    access = channel_for(_user(request), channel)
    return [info.wire() for info in sessions_of(access, agent, search)]


@router.post("/{channel}/sessions", summary="New session", response={201: dict[str, Any]})
def new(request: HttpRequest, channel: str, body: AgentChoice) -> Status[dict[str, Any]]:
    """Begins a session with an empty memory; the one before stays saved."""
    made = named_sessions.new_session(_user(request), channel, body.agent or None)
    async_to_sync(measure)(_user(request), channel, made.agent.name)
    return Status(201, {"id": made.session.pk, "name": made.session.name, "left": made.left})


@router.post("/{channel}/sessions/{int:session}/load", summary="Load a session")
def load(request: HttpRequest, channel: str, session: int) -> dict[str, Any]:
    """Makes it the current one; the current model stays."""
    made = named_sessions.load_by_id(_user(request), channel, session)
    async_to_sync(measure)(_user(request), channel, made.agent.name)
    return {"id": made.session.pk, "name": made.session.name, "left": made.left}


@router.patch("/{channel}/sessions/{int:session}", summary="Rename a session")
def rename(request: HttpRequest, channel: str, session: int, body: NameIn) -> dict[str, str]:
    """Returns the `name` it got: a suffix keeps it apart from another of that name."""
    name = named_sessions.rename_session(_user(request), channel, body.name, session=session)
    return {"name": name}


@router.post("/{channel}/sessions/delete", summary="Delete sessions")
def delete(request: HttpRequest, channel: str, body: SessionsIn) -> dict[str, list[str]]:
    """Deletes several for good, never a current one; returns their names as `deleted`."""
    gone = named_sessions.delete_sessions(_user(request), channel, body.ids)
    return {"deleted": list(gone)}


@router.get("/{channel}/sessions/{int:session}/export", summary="Export a session")
def export(request: HttpRequest, channel: str, session: int) -> HttpResponse:
    """The session as the file of the command-line MAIA."""
    row = session_row(channel_for(_user(request), channel), session)
    return as_download(*session_file(row))


@router.post(
    "/{channel}/sessions/import", summary="Import a session", response={201: dict[str, Any]}
)
def import_file(
    request: HttpRequest, channel: str, file: File[UploadedFile], agent: str = ""
) -> Status[dict[str, Any]]:
    """Saves such a file as a session, named like the file; nothing is overwritten."""
    data = file.read(LARGEST_FILE + 1)
    made = named_sessions.import_session(
        _user(request), channel, file.name or "", data, agent or None
    )
    return Status(201, {"id": made.pk, "name": made.name})


@router.get("/{channel}/context", summary="What fills the context")
def context(request: HttpRequest, channel: str, agent: str = "") -> dict[str, Any]:
    """Tokens of system prompt, tools, skills, history and pending context of an agent."""
    return async_to_sync(context_parts)(_user(request), channel, agent or None).wire()


@commands_router.get("", summary="Slash commands")
def list_commands(request: HttpRequest) -> list[dict[str, Any]]:
    """The commands of the server, in the order of /help."""
    return [info.wire() for info in slash_commands()]


def as_download(name: str, text: str) -> HttpResponse:
    """Returns a file to save, whatever letters are in its name."""
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
    return response
