"""A tool as the engine uses it: the input is read once, then the call runs on what was read."""

from __future__ import annotations

from typing import Any

from agents.engine.ports.tools import Tool, ToolContext, ToolOutput


async def run_tool(tool: Tool, input: dict[str, Any], context: ToolContext) -> ToolOutput:
    """Returns what the tool answers; raises `ToolFailure`."""
    return await tool.execute(tool.read_input(input, context.language), context)


async def previewed(tool: Tool, input: dict[str, Any], context: ToolContext) -> ToolOutput:
    """Returns what the tool would do; raises `ToolFailure`."""
    return await tool.preview(tool.read_input(input, context.language), context)
