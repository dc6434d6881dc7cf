"""Edit: exact replacements in one file, all or none (seeds M §8 and T)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from agents.domain.changes import describe_change, shown_diff
from agents.domain.edits import EditError, Replacement, apply_edits
from agents.domain.parts import Location
from agents.domain.shortening import shorten
from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import MAX_FILE, BuiltinTool, file_key, given_path, path_of, told
from agents.tools.texts import edit_text, tool_text
from agents.tools.write import MAX_DIFF
from workspaces.domain.entries import FileText

_PAIR = {"old_string": {"type": "string"}, "new_string": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class _Edited:
    file: FileText
    text: str
    count: int


class EditTool(BuiltinTool):
    """Changes parts of a file."""

    name = "Edit"
    kind = "edit"
    default_permission = "ask"
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            **_PAIR,
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": _PAIR,
                    "required": ["old_string", "new_string"],
                },
            },
            "dry_run": {"type": "boolean"},
        },
        "required": ["path"],
    }

    def title(self, input: dict[str, Any]) -> str:
        """The path."""
        return given_path(input)

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """The file."""
        return file_key(input, context)

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The change as a diff."""
        with told(context.language, given_path(input), self.missing):
            edited = await _edited(ToolInput(input, context.language), context)
            return await asyncio.to_thread(_output, edited, "edited", context.language)

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Writes the new text, unless it is a dry run."""
        context.counters.file_ops += 1
        dry = input.flag("dry_run")
        edited = await _edited(input, context)
        if not dry:
            await context.files.write(edited.file.path, edited.text, version=edited.file.version)
        key = "dry-run" if dry else "edited"
        return await asyncio.to_thread(_output, edited, key, context.language)


async def _edited(input: ToolInput, context: ToolContext) -> _Edited:
    path, edits = path_of(input), _replacements(input)
    file = await context.files.read(path, max_bytes=MAX_FILE)
    try:
        return _Edited(file, apply_edits(file.text, edits), len(edits))
    except EditError as error:
        raise ToolFailure(edit_text(error, file.path, context.language)) from error


def _replacements(input: ToolInput) -> list[Replacement]:
    """One pair at the top, or several in `edits`; T calls the pair `old` and `new`."""
    several = input.objects("edits")
    pairs = [input] if input.has("old_string") or not several else []
    return [
        Replacement(pair.text("old_string", "old"), pair.text("new_string", "new"))
        for pair in (*pairs, *several)
    ]


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
