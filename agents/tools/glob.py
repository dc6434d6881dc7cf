"""Glob: files by their names, the newest first (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.texts import tool_text

MAX_FILES = 100


class GlobTool(BuiltinTool):
    """Finds files; asks nobody."""

    name = "Glob"
    kind = "search"
    default_permission = "auto"
    missing = "folder-not-found"
    schema = {
        "type": "object",
        "properties": {"pattern": {"type": "string"}, "path": {"type": "string"}},
        "required": ["pattern"],
    }

    def title(self, input: dict[str, Any]) -> str:
        """The pattern."""
        return short(input.get("pattern"))

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Returns one path a line, at most `MAX_FILES`."""
        pattern = input.text("pattern", filled=True)
        path = input.optional_text("path") or "."
        found = await context.files.find(pattern, path, limit=MAX_FILES + 1)
        if not found:
            return ToolOutput(tool_text("no-files", context.language))
        lines = [file.path for file in found[:MAX_FILES]]
        if len(found) > MAX_FILES:
            lines.append(tool_text("first-files", context.language, count=MAX_FILES))
        return ToolOutput("\n".join(lines))
