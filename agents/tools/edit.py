"""Edit: exact replacements in one file, all or none (seeds M §8 and T)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar

from agents.domain.content.changes import describe_change, shown_diff
from agents.domain.content.parts import Location
from agents.domain.content.shorten import shorten
from agents.domain.tools.edits import EditError, Replacement, apply_edits
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import MAX_FILE, BuiltinTool, file_key, given_path, told
from agents.tools.texts import edit_text, tool_text
from agents.tools.write import MAX_DIFF
from workspaces.domain.entries import FileText


@dataclass(frozen=True, slots=True)
class _Edited:
    file: FileText
    text: str
    count: int


class EditTool(BuiltinTool):
    """Changes parts of a file."""

    name = "Edit"
    pair: ClassVar[tuple[str, str]] = ("old_string", "new_string")
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
        with told(context.language, given_path(input), self.missing):
            edited = await self._edited(input, context)
            return await asyncio.to_thread(_output, edited, "edited", context.language)

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Writes the new text, unless it is a dry run."""
        context.counters.file_ops += 1
        dry = input.get("dry_run", False)
        edited = await self._edited(input, context)
        if not dry:
            await context.files.write(edited.file.path, edited.text, version=edited.file.version)
        key = "dry-run" if dry else "edited"
        return await asyncio.to_thread(_output, edited, key, context.language)

    async def _edited(self, input: dict[str, Any], context: ToolContext) -> _Edited:
        file = await context.files.read(input["path"], max_bytes=MAX_FILE)
        old, new = self.pair
        pairs = ([input] if old in input else []) + input.get("edits", [])
        edits = [Replacement(each[old], each[new]) for each in pairs]
        try:
            return _Edited(file, apply_edits(file.text, edits), len(edits))
        except EditError as error:
            raise ToolFailure(edit_text(error, file.path, context.language)) from error


def _output(edited: _Edited, key: str, language: str) -> ToolOutput:
    path, old = edited.file.path, edited.file.text
    change = describe_change(old, edited.text)
    header = tool_text(
        key,
        language,
        path=path,
        edits=edited.count,
        added=change.added,
        removed=change.removed,
        first=change.first_line,
    )
    return ToolOutput(
        f"{header}\n{shorten(change.diff, MAX_DIFF, language)}".rstrip(),
        diffs=(shown_diff(path, old, edited.text),),
        locations=(Location(path=path, line=change.first_line or None),),
    )
