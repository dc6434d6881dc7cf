"""REST: completion of the composer, and the library of a workspace."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from agents.domain.library.found import Library
from agents.domain.typed.completion import MOST, Completion, CompletionKind
from agents.library.found import library_of
from agents.selectors.conversation.channels import channel_for
from agents.selectors.conversation.completion import complete
from agents.selectors.warnings import FileWarning, library_warnings, settings_warnings, warnings_of
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
    options = _commands(prefix) if kind == "/" else complete(access, kind, prefix)
    return {"options": [option.wire() for option in options]}


@library_router.get("/{workspace}/library", summary="Library")
def library(request: HttpRequest, workspace: str) -> dict[str, Any]:
    """The skills, custom tools and instructions that agents find here for this person.

    `warnings` name each file that is broken (`file`, the `entry` that is meant, `message`).
    """
    place = workspace_for(int(request.user.pk or 0), workspace).place
    found = library_of(place)
    return _shown(found, (*settings_warnings(place), *library_warnings(found)))


@router.get("/{channel}/warnings", summary="Warnings")
def warnings(request: HttpRequest, channel: str) -> dict[str, Any]:
    """The broken files that agents skip here for this person, as in the library's `warnings`."""
    access = channel_for(int(request.user.pk or 0), channel)
    return {"warnings": [one.wire() for one in warnings_of(access.workspace.place)]}


def _commands(prefix: str) -> tuple[Completion, ...]:
    fitting = [one for one in slash_commands() if one.name.startswith(prefix.lower())]
    return tuple(
        Completion(kind="command", label=one.name, insert=f"/{one.name} ", words=one.words)
        for one in fitting[:MOST]
    )


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
