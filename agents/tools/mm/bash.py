"""bash: a command, 30 seconds, a new shell each time (seed T)."""

from __future__ import annotations

from agents.domain.content.turn_texts import turn_text
from agents.tools.bash import BashTool
from agents.tools.command_output import bound_lines
from agents.tools.texts import tool_text
from workspaces.domain.commands import CommandResult

TIME_LIMIT = 30


class MmBashTool(BashTool):
    """Bash with the limits and words of the toolset."""

    name = "bash"
    description = "mm/bash"
    time_limit = TIME_LIMIT

    def report(self, result: CommandResult, language: str) -> str:
        """Returns the output; the last line tells how the command ended, unless it ended well."""
        if result.status not in ("timeout", "exited"):
            return super().report(result, language)
        lines = [result.output.rstrip("\n") or tool_text("no-output", language)]
        if result.dropped:
            lines.append(turn_text("shortened", language, count=result.dropped))
        lines += bound_lines(result, language)
        if result.status == "timeout":
            lines.append(f"[error: {TIME_LIMIT}s timeout exceeded]")
        elif result.exit_code:
            code = result.exit_code
            told = f"exit status {code}" if code > 0 else f"signal: {-code}"
            lines.append(f"[exit code: {told}]")
        return "\n".join(lines)
