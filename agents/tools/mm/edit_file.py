"""edit_file: exact replacements, all found on the original text, all or none (seed T)."""

from __future__ import annotations

from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolOutput
from agents.tools.edit import EditTool

_PAIR = {"old": {"type": "string"}, "new": {"type": "string"}}


class EditFileTool(EditTool):
    """Edit with the toolset's parameters."""

    name = "edit_file"
    description = "mm/edit_file"
    missing = "mm-file-not-found"
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": _PAIR, "required": ["old", "new"]},
            },
            "dry_run": {"type": "boolean"},
        },
        "required": ["path", "edits"],
    }

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Makes the edits; at least one is needed."""
        if not input.objects("edits") and not input.has("old_string"):
            raise input.bad("edits", "objects")
        return await super().run(input, context)
