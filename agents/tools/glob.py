"""Glob: files by their names, the newest first (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool, searched
from agents.tools.texts import tool_text

MAX_FILES = 100


class GlobTool(BuiltinTool):
    """Finds files; asks nobody."""

    name = "Glob"
    kind = "search"
    default_permission = "auto"
    missing = "folder-not-found"

    def title(self, input: dict[str, Any]) -> str:
        """The pattern, and the folder."""
        return searched(input)

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns one path a line, at most `MAX_FILES`."""
        found = await context.files.find(input["pattern"], input["path"], limit=MAX_FILES + 1)
        if not found:
            return ToolOutput(tool_text("no-files", context.language))
        lines = [file.path for file in found[:MAX_FILES]]
        if len(found) > MAX_FILES:
            lines.append(tool_text("first-files", context.language, count=MAX_FILES))
        return ToolOutput("\n".join(lines))
