"""Registry: the built-in tools, in the order the model is told of them (seed M §8)."""

from __future__ import annotations

from agents.engine.ports import Tool
from agents.tools.base import BuiltinTool
from agents.tools.bash import BashTool
from agents.tools.edit import EditTool
from agents.tools.glob import GlobTool
from agents.tools.grep import GrepTool
from agents.tools.read import ReadTool
from agents.tools.todo import TodoWriteTool
from agents.tools.write import WriteTool

BUILTIN: tuple[type[BuiltinTool], ...] = (
    ReadTool,
    GlobTool,
    GrepTool,
    WriteTool,
    EditTool,
    BashTool,
    TodoWriteTool,
)


def builtin_tools(language: str = "en") -> tuple[Tool, ...]:
    """Returns the tools as the model reads them in `language`."""
    return tuple(tool(language) for tool in BUILTIN)
