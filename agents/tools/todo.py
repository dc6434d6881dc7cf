"""TodoWrite: the task list, replaced at each call (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.todos import SIGNS, parse_todos, render_todos
from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool


class TodoWriteTool(BuiltinTool):
    """Keeps nothing itself: the list is the plan part of the answer."""

    name = "TodoWrite"
    kind = "think"
    default_permission = "auto"
    schema = {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string"},
                        "status": {"type": "string", "enum": list(SIGNS)},
                        "activeForm": {"type": "string"},
                    },
                    "required": ["content", "status"],
                },
            }
        },
        "required": ["todos"],
    }

    def title(self, input: dict[str, Any]) -> str:
        """How many tasks are done: `2/5`."""
        todos = input.get("todos")
        tasks = (
            [task for task in todos if isinstance(task, dict)] if isinstance(todos, list) else []
        )
        done = sum(task.get("status") == "completed" for task in tasks)
        return f"{done}/{len(tasks)}"

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """One list, one key."""
        return "todowrite"

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Returns the list with ☐ ▶ ☑, for people as a plan."""
        entries = parse_todos(input)
        return ToolOutput(render_todos(entries, context.language), plan=entries)
