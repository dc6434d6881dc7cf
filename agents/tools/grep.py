"""Grep: files by what stands in them, with ripgrep (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.content.shorten import shorten
from agents.domain.tools.searches import Search, read_matches, ripgrep_arguments, search_of
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, searched
from agents.tools.texts import tool_text
from workspaces.domain.entries import FileError
from workspaces.domain.spelling import in_words

MAX_OUTPUT = 1_000_000
MAX_RESULT = 100_000
_PATH_ERRORS = ("outside", "not-found", "invalid-path", "denied")


class GrepTool(BuiltinTool):
    """Searches; asks nobody."""

    name = "Grep"
    kind = "search"
    default_permission = "auto"
    missing = "folder-not-found"

    def title(self, input: dict[str, Any]) -> str:
        """The pattern, and the folder."""
        return searched(input)

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the lines of result, at most `head_limit`."""
        search = search_of(input)
        try:
            output = await context.files.search(
                ripgrep_arguments(search), search.path, max_output=MAX_OUTPUT
            )
        except FileError as error:
            if error.code in _PATH_ERRORS:
                raise
            raise _failed(error.message, context) from error
        if output.strip() and "\0" not in output:  # every result has one, complaints have none
            raise _failed(output, context)
        lines = await _shown(output, search, context)
        return ToolOutput(_told(lines, search.head_limit, context.language))


async def _shown(output: str, search: Search, context: ToolContext) -> list[str]:
    """Returns the lines, but those of files that Read would be denied."""
    matches = read_matches(output, search)
    shown = await context.files.shown(matches)
    return [line for path in sorted(shown) for line in matches[path]]


def _failed(message: str, context: ToolContext) -> ToolFailure:
    reason = in_words(message).strip().removeprefix("rg: ")
    return ToolFailure(tool_text("bad-search", context.language, message=reason))


def _told(lines: list[str], limit: int, language: str) -> str:
    if not lines:
        return tool_text("no-matches", language)
    shown = lines[:limit] if limit else lines
    text = shorten("\n".join(shown), MAX_RESULT, language)
    if len(shown) == len(lines):
        return text
    more = tool_text("first-lines", language, count=len(shown), total=len(lines))
    return f"{text}\n{more}"
