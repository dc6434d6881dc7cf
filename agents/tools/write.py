"""Write: creates a file or replaces its content; says what changed (seeds M §8 and T)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from agents.domain.content.changes import describe_change, lines_of, shown_diff
from agents.domain.content.parts import Diff, Location
from agents.domain.content.shorten import shorten
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import MAX_FILE, BuiltinTool, file_key, given_path, told
from agents.tools.texts import tool_text, twin_text
from workspaces.domain.entries import FileError

MAX_DIFF = 10_000


@dataclass(frozen=True, slots=True)
class _Before:
    """The file as it was: `text` None if it is no text; `version` "" if there was no file."""

    path: str
    text: str | None
    version: str | None

    @property
    def is_new(self) -> bool:
        return self.version == ""


class WriteTool(BuiltinTool):
    """Writes whole files."""

    name = "Write"
    kind = "edit"
    default_permission = "ask"

    def title(self, input: dict[str, Any]) -> str:
        """The path."""
        return given_path(input)

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """The file."""
        return file_key(input, context)

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The change as a diff."""
        with told(context.language, given_path(input)):
            before = await _read(input["path"], context)
            return _seen(before, input["content"])

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Writes, unless the content is there already."""
        context.counters.file_ops += 1
        path, content = input["path"], input["content"]
        before = await _read(path, context)
        if content == before.text and not before.is_new:
            note = tool_text("identical", context.language, path=before.path)
            return ToolOutput(note, locations=(Location(path=before.path),))
        await context.files.write(path, content, version=before.version)
        text = await asyncio.to_thread(_told, before, content, context.language)
        seen = _seen(before, content)
        return ToolOutput(text, diffs=seen.diffs, locations=seen.locations)


async def _read(path: str, context: ToolContext) -> _Before:
    """Content that cannot be read as text may be replaced, but gives no diff."""
    try:
        file = await context.files.read(path, max_bytes=MAX_FILE)
    except FileError as error:
        if error.twin:
            raise ToolFailure(twin_text(error, path, context.language)) from error
        if error.code == "not-found":
            return _Before(path, "", "")
        if error.code in ("binary", "too-large", "hidden"):
            return _Before(path, None, None)
        raise
    return _Before(file.path, file.text, file.version)


def _seen(before: _Before, content: str) -> ToolOutput:
    diff: Diff = shown_diff(before.path, before.text or "", content, new_file=before.is_new)
    return ToolOutput("", diffs=(diff,), locations=(Location(path=before.path),))


def _told(before: _Before, content: str, language: str) -> str:
    if before.text is None:
        count = len(lines_of(content))
        return tool_text("replaced-other", language, path=before.path, count=count)
    change = describe_change(before.text, content)
    header = tool_text(
        "created" if before.is_new else "written",
        language,
        path=before.path,
        added=change.added,
        removed=change.removed,
        first=change.first_line,
    )
    return f"{header}\n{shorten(change.diff, MAX_DIFF, language)}".rstrip()
