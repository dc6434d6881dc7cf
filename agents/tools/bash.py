"""Bash: a command in the sandbox of the person who asked (seed M §8)."""

from __future__ import annotations

from typing import Any, ClassVar

from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.command_output import command_output
from workspaces.domain.commands import CommandResult, Run

TIME_LIMIT = 120
MAX_OUTPUT = 30_000


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
        command = Run(argv, timeout=self.time_limit, max_output=MAX_OUTPUT)
        result = await context.sandbox.run(command, context.emit_output)
        failed = result.status != "exited"
        return ToolOutput(self.report(result, context.language), is_error=failed)

    def report(self, result: CommandResult, language: str) -> str:
        """Returns the output and, as the last line, how the command ended."""
        return command_output(result, language, self.time_limit)
