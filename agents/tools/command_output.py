"""Command output: what the model reads of a command that ran, its end in the last line (M §8)."""

from __future__ import annotations

from agents.domain.content.turn_texts import turn_text
from agents.tools.texts import tool_text
from workspaces.domain.commands import CommandResult


def command_output(result: CommandResult, language: str, limit: int) -> str:
    """Returns the output and how the command ended; `limit` is its time limit in seconds."""
    output = result.output.rstrip("\n") or tool_text("no-output", language)
    if result.dropped:
        output += "\n" + turn_text("shortened", language, count=result.dropped)
    return "\n".join((output, *bound_lines(result, language), *_end(result, language, limit)))


def bound_lines(result: CommandResult, language: str) -> tuple[str, ...]:
    """Returns the line that names the bound which ended the command, or that it ran under."""
    return () if result.reached is None else (f"[{result.reached.sentence(language)}]",)


def _end(result: CommandResult, language: str, limit: int) -> tuple[str, ...]:
    match result.status:
        case "timeout":
            return (tool_text("timeout", language, limit=limit),)
        case "cancelled":
            return (tool_text("cancelled", language),)
        case "not-started":
            line = tool_text("not-started", language)
            return (result.error.strip(), line) if result.error.strip() else (line,)
        case "bound":
            return ()
        case "exited":
            code = result.exit_code or 0
            if code < 0:
                return (tool_text("signal", language, code=-code),)
            return (tool_text("exit-code", language, code=code),)
