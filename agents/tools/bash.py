"""Bash: a command in the sandbox of the person who asked (seed M §8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.command_output import CAPTURED, command_told, end_lines
from workspaces.domain.commands import CommandResult, Run

TIME_LIMIT = 120


class BashTool(BuiltinTool):
    """Runs commands; the sandbox stops what is left of them."""

    name = "Bash"
    kind = "execute"
    default_permission = "ask"
    time_limit: ClassVar[int] = TIME_LIMIT

    def title(self, input: dict[str, Any]) -> str:
        """The command as one line."""
        return short(input.get("command"))

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the output and, as the last line, how the command ended."""
        context.counters.commands += 1
        argv = ("bash", "-c", input["command"])
        command = Run(argv, timeout=self.time_limit, max_output=CAPTURED)
        result = await context.sandbox.run(command, context.emit_output)
        output = await command_told(result, context.language, self.last_lines)
        return replace(output, is_error=result.status != "exited")

    def last_lines(self, result: CommandResult, language: str) -> tuple[str, ...]:
        """Returns how the command ended."""
        return end_lines(result, language, self.time_limit)
