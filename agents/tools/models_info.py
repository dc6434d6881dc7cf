"""CurrentModel and ListModels: which model answers, and which others there are (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.engine.ports.model import ProviderError
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool
from agents.tools.texts import tool_text


class CurrentModelTool(BuiltinTool):
    """Names the model; asks nobody."""

    name = "CurrentModel"
    kind = "other"
    default_permission = "auto"

    def title(self, input: dict[str, Any]) -> str:
        """Nothing more to say."""
        return ""

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the name, read at the call."""
        return ToolOutput(context.model or tool_text("no-model", context.language))


class ListModelsTool(BuiltinTool):
    """Asks the model server at each call; asks no person."""

    name = "ListModels"
    kind = "other"
    default_permission = "auto"

    def title(self, input: dict[str, Any]) -> str:
        """Nothing more to say."""
        return ""

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns one model a line, the one in use marked."""
        if context.list_models is None:
            raise ToolFailure(tool_text("no-list", context.language))
        try:
            names = await context.list_models()
        except ProviderError as error:
            raise ToolFailure(error.message) from error
        if not names:
            return ToolOutput(tool_text("no-list", context.language))
        mark = tool_text("model-in-use", context.language)
        lines = (f"● {name} {mark}" if name == context.model else f"○ {name}" for name in names)
        return ToolOutput("\n".join(lines))
