"""Command output: what is told of a command that ran, its end in the last line (M §8).

The model reads what a terminal would show at the end; people see the colours too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from agents.domain.content.shorten import shorten
from agents.domain.content.terminal_text import Shown, at_the_end
from agents.domain.content.turn_texts import turn_text
from agents.engine.ports.tools import ToolOutput
from agents.tools.texts import tool_text
from workspaces.domain.commands import CommandResult

CAPTURED = 1_000_000
"""Characters that are taken from a command: those that are written over count too."""
MAX_OUTPUT = 30_000
"""Characters of its output that are told."""
LastLines = Callable[[CommandResult, str], tuple[str, ...]]


async def command_told(result: CommandResult, language: str, last_lines: LastLines) -> ToolOutput:
    """Returns the output and, as the last lines, how the command ended."""
    read = await asyncio.to_thread(at_the_end, result.output)
    last = last_lines(result, language)
    text = "\n".join((*_output(result, read, language), *last))
    shown = "\n".join((*_output(result, Shown(result.output), language), *last))
    code = result.exit_code if result.status == "exited" else None
    return ToolOutput(text, shown="" if shown == text else shown, exit_code=code)


def _output(result: CommandResult, output: Shown, language: str) -> list[str]:
    text = output.text.rstrip("\n") or tool_text("no-output", language)
    lines = [shorten(text, MAX_OUTPUT, language)]
    if output.overwritten:
        lines.append(tool_text("overwritten", language, count=output.overwritten))
    if result.dropped:
        lines.append(turn_text("shortened", language, count=result.dropped))
    return lines


def bound_lines(result: CommandResult, language: str) -> tuple[str, ...]:
    """Returns the line that names the bound which ended the command, or that it ran under."""
    return () if result.reached is None else (f"[{result.reached.sentence(language)}]",)


def end_lines(result: CommandResult, language: str, limit: int) -> tuple[str, ...]:
    """Returns how the command ended; `limit` is its time limit in seconds."""
    return (*bound_lines(result, language), *_end(result, language, limit))


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
