"""Bash: a command in the sandbox of the person who asked (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.tool_input import ToolInput
from agents.domain.turn_texts import turn_text
from agents.engine.ports import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.texts import tool_text
from workspaces.domain.commands import CommandResult

TIME_LIMIT = 120
MAX_OUTPUT = 30_000


class BashTool(BuiltinTool):
    """Runs commands; the sandbox stops what is left of them."""

    name = "Bash"
    kind = "execute"
    default_permission = "ask"
    schema = {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }

    def title(self, input: dict[str, Any]) -> str:
        """The command as one line."""
        return short(input.get("command"))

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Returns the output and, as the last line, how the command ended."""
        context.counters.commands += 1
        command = input.text("command", filled=True)
        result = await context.sandbox.run(
            ("bash", "-c", command),
            timeout=TIME_LIMIT,
            max_output=MAX_OUTPUT,
            on_output=context.emit_output,
        )
        said = result.output.rstrip("\n") or tool_text("no-output", context.language)
        if result.dropped:
            said += "\n" + turn_text("shortened", context.language, count=result.dropped)
        failed = result.status != "exited"
        return ToolOutput(f"{said}\n{_end(result, context.language)}", is_error=failed)


def _end(result: CommandResult, language: str) -> str:
    match result.status:
        case "timeout":
            return tool_text("timeout", language, limit=TIME_LIMIT)
        case "cancelled":
            return tool_text("cancelled", language)
        case "not-started":
            line = tool_text("not-started", language)
            return f"{result.error.strip()}\n{line}" if result.error.strip() else line
        case "exited":
            code = result.exit_code or 0
            if code < 0:
                return tool_text("signal", language, code=-code)
            return tool_text("exit-code", language, code=code)
