"""CustomTool: runs the command line of a TOOL.json, without a shell, in the sandbox (M §10.3)."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any, Literal

from agents.domain.content.parts import ToolKind
from agents.domain.library.custom_tools import CustomTool, fill
from agents.domain.tools.input import BadInput
from agents.engine.ports.model import ToolSpec
from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import short, told
from agents.tools.command_output import CAPTURED, command_told, end_lines
from workspaces.domain.argv import WORKSPACE
from workspaces.domain.commands import CommandResult, Run

TIME_LIMIT = 120


class CommandTool:
    """A tool of the workspace or of the person; its folder is where it runs.

    `cwd` is the folder as `Run` takes it, `inside` as the command sees it; `digest` stands
    for the definition.
    """

    kind: ToolKind = "execute"
    default_permission: Literal["auto", "ask"] = "ask"

    def __init__(self, tool: CustomTool, cwd: str, inside: str, digest: str = "") -> None:
        self.spec = ToolSpec(tool.name, tool.description, tool.schema)
        self._tool = tool
        self._cwd = cwd
        self._digest = digest
        self._env = {"MAIA_CWD": WORKSPACE, "MAIA_TOOL_DIR": inside}

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        """The value of each parameter, of its type, defaults filled in."""
        with told(language, ""):
            return self._tool.declared.read(input)

    def title(self, input: dict[str, Any]) -> str:
        """The line that would run; the run line itself while its values are missing."""
        try:
            return short(shlex.join(fill(self._tool, self._tool.declared.read(input))))
        except BadInput:
            return short(" ".join(self._tool.run))

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """No key: calls run side by side."""
        return None

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Nothing to show but the title; which definition would run."""
        return ToolOutput("", definition=self._digest)

    async def execute(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Runs it; another exit code than 0 is an error with what the program said."""
        context.counters.commands += 1
        command = Run(
            fill(self._tool, input),
            timeout=TIME_LIMIT,
            max_output=CAPTURED,
            env=self._env,
            cwd=self._cwd,
        )
        result = await context.sandbox.run(command, context.emit_output)
        output = await command_told(result, context.language, _last_lines)
        return replace(output, is_error=result.status != "exited" or result.exit_code != 0)


def _last_lines(result: CommandResult, language: str) -> tuple[str, ...]:
    return end_lines(result, language, TIME_LIMIT)
