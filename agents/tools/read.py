"""Read: a text file, its lines numbered (seed M §8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.domain.content.parts import Location
from agents.domain.tools.line_ends import line_ends
from agents.domain.tools.numbered import NumberedLines, number_lines
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import MAX_FILE, BuiltinTool, file_key, given_path
from agents.tools.texts import tool_text
from workspaces.domain.encodings import UTF_8
from workspaces.domain.entries import FileText

LINES = 2_000


class ReadTool(BuiltinTool):
    """Reads; asks nobody."""

    name = "Read"
    kind = "read"
    default_permission = "auto"

    def title(self, input: dict[str, Any]) -> str:
        """The path."""
        return given_path(input)

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """The file: a read waits for the write before it."""
        return file_key(input, context)

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Where it would read."""
        return ToolOutput("", locations=(Location(path=input["path"]),))

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the numbered lines, and at the end where to go on if there are more."""
        context.counters.file_ops += 1
        offset = max(input.get("offset", 1), 1)
        file = await context.files.read(input["path"], max_bytes=MAX_FILE)
        lines = number_lines(file.text, offset, input.get("limit", LINES))
        told = _told(lines, file.path, offset, context.language)
        text = "\n".join((told, *_form(file, context.language)))
        return ToolOutput(text, locations=(Location(path=file.path, line=offset),))


def _form(file: FileText, language: str) -> Iterator[str]:
    """Yields what lines without their ends do not show."""
    ends = line_ends(file.text)
    if not ends.are_plain:
        yield tool_text("line-ends", language, ends=ends)
    if file.encoding != UTF_8.name:
        yield tool_text("encoding", language, encoding=file.encoding)


def _told(lines: NumberedLines, path: str, offset: int, language: str) -> str:
    if not lines.total:
        return tool_text("empty-file", language, path=path)
    if offset > lines.total:
        raise ToolFailure(
            tool_text("short-file", language, path=path, total=lines.total, offset=offset)
        )
    if lines.last == lines.total:
        return lines.text
    more = tool_text(
        "more-lines",
        language,
        first=lines.first,
        last=lines.last,
        total=lines.total,
        next=lines.last + 1,
    )
    return f"{lines.text}\n{more}"
