"""REST: completion of the composer, and the library of a workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from agents.domain.library.found import Library
from agents.domain.typed.completion import MOST, Completion, CompletionKind
from agents.library.completion import (
    files_to_complete,
    skills_to_complete,
    variables_to_complete,
)
from agents.library.found import library_of
from agents.library.settings_files import settings_files
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.selectors.conversation.completion import agents_to_complete, commands_to_complete
from agents.selectors.warnings import FileWarning, library_warnings, settings_warnings
from agents.services.typed.slash_texts import slash_commands
from workspaces.selectors import workspace_for

router = Router(tags=["channels"])
library_router = Router(tags=["workspaces"])

Typed = Annotated[str, Field(max_length=1_000)]


@router.get("/{channel}/complete", summary="Complete")
def completions(
    request: HttpRequest, channel: str, kind: CompletionKind, prefix: Typed = ""
) -> dict[str, Any]:
    """What may follow a sign (`@ $ § / !`) and `prefix`: at most 12 `options`, best first.

    `insert` takes the place of the sign and the word.
    """
    access = channel_for(int(request.user.pk or 0), channel)
    options = _SOURCES[kind](access, prefix)[:MOST]
    return {"options": [option.wire() for option in options]}


@library_router.get("/{workspace}/library", summary="Library")
def library(request: HttpRequest, workspace: str) -> dict[str, Any]:
    """The skills, custom tools and instructions that agents find here for this person.

    `warnings` name each file that is broken (`file`, the `entry` that is meant, `message`).
    """
    place = workspace_for(int(request.user.pk or 0), workspace).place
    found, settings = library_of(place), settings_files(place)
    return _shown(found, (*settings_warnings(settings), *library_warnings(found)))


@router.get("/{channel}/warnings", summary="Warnings")
def warnings(request: HttpRequest, channel: str) -> dict[str, Any]:
    """The broken files that agents skip here for this person, as in the library's `warnings`."""
    place = channel_for(int(request.user.pk or 0), channel).workspace.place
    found, settings = library_of(place), settings_files(place)
    broken = (*settings_warnings(settings), *library_warnings(found))
    return {"warnings": [one.wire() for one in broken]}


def _mentions(access: ChannelAccess, prefix: str) -> tuple[Completion, ...]:
    files = files_to_complete(access.workspace.place, prefix)
    return (*agents_to_complete(access, prefix), *files)


def _commands(_access: ChannelAccess, prefix: str) -> tuple[Completion, ...]:
    fitting = [one for one in slash_commands() if one.name.startswith(prefix.lower())]
    return tuple(
        Completion(kind="command", label=one.name, insert=f"/{one.name} ", words=one.words)
        for one in fitting
    )


_SOURCES: dict[CompletionKind, Callable[[ChannelAccess, str], tuple[Completion, ...]]] = {
    "@": _mentions,
    "$": lambda access, prefix: variables_to_complete(access.workspace.place, prefix),
    "§": lambda access, prefix: skills_to_complete(access.workspace.place, prefix),
    "!": commands_to_complete,
    "/": _commands,
}


def _shown(found: Library, broken: tuple[FileWarning, ...]) -> dict[str, Any]:
    return {
        "instructions": found.instructions or None,
        "skills": [
            {
                "name": one.name,
                "description": one.description,
                "source": one.source,
                "path": one.path,
            }
            for one in found.skills
        ],
        "tools": [
            {
                "name": one.tool.name,
                "description": one.tool.description,
                "source": one.source,
                "path": one.path,
            }
            for one in found.tools
        ],
        "warnings": [one.wire() for one in broken],
    }
