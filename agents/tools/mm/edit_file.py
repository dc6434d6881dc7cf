"""edit_file: exact replacements, all found on the original text, all or none (seed T)."""

from __future__ import annotations

from agents.tools.edit import EditTool


class EditFileTool(EditTool):
    """Edit with the toolset's parameters."""

    name = "edit_file"
    pair = ("old", "new")
    description = "mm/edit_file"
    missing = "mm-file-not-found"
