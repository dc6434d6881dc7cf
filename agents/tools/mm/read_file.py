"""read_file: lines of a text file, numbered if asked for (seed T)."""

from __future__ import annotations

from typing import Any

from agents.domain.content.changes import lines_of
from agents.domain.content.parts import Location
from agents.domain.content.shorten import shorten
from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import MAX_FILE, BuiltinTool, file_key, given_path
from agents.tools.command_output import MAX_OUTPUT


class ReadFileTool(BuiltinTool):
    """Reads a range of lines."""

    name = "read_file"
    description = "mm/read_file"
    kind = "read"
    default_permission = "auto"
    missing = "mm-file-not-found"

    def title(self, input: dict[str, Any]) -> str:
        """The path."""
        return given_path(input)

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """The file."""
        return file_key(input, context)

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the lines `start` to `end`; 0 means from the beginning, or to the end."""
        context.counters.file_ops += 1
        start, end = input.get("start", 0), input.get("end", 0)
        file = await context.files.read(input["path"], max_bytes=MAX_FILE)
        text = _range(file.text, start, end, input.get("numbered", False))
        location = Location(path=file.path, line=max(start, 1))
        return ToolOutput(shorten(text, MAX_OUTPUT, context.language), locations=(location,))


def _range(text: str, start: int, end: int, numbered: bool) -> str:
    """The newline at the end is kept only if the end of the file is shown."""
    lines = lines_of(text)
    first = max(start, 1)
    last = min(end or len(lines), len(lines))
    chosen = lines[first - 1 : last]
    if numbered:
        chosen = [f"{number:>6}\t{line}" for number, line in enumerate(chosen, start=first)]
    shown = "".join(chosen)
    return shown if last == len(lines) else shown.removesuffix("\n")
