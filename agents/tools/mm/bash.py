"""bash: a command, 30 seconds, a new shell each time (seed T)."""

from __future__ import annotations

from agents.tools.bash import BashTool
from agents.tools.command_output import bound_lines
from workspaces.domain.commands import CommandResult

TIME_LIMIT = 30


class MmBashTool(BashTool):
    """Bash with the limits and words of the toolset."""

    name = "bash"
    description = "mm/bash"
    time_limit = TIME_LIMIT

    def last_lines(self, result: CommandResult, language: str) -> tuple[str, ...]:
        """Returns how the command ended, unless it ended well."""
        lines = bound_lines(result, language)
        if result.status == "timeout":
            return (*lines, f"[error: {TIME_LIMIT}s timeout exceeded]")
        if result.status != "exited":
            return super().last_lines(result, language)
        code = result.exit_code or 0
        if not code:
            return lines
        told = f"exit status {code}" if code > 0 else f"signal: {-code}"
        return (*lines, f"[exit code: {told}]")
