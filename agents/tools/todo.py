"""TodoWrite: the task list, replaced at each call (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.tools.todos import render_todos, todos_of
from agents.engine.ports.tools import ToolContext, ToolOutput
from agents.tools.base import BuiltinTool


class TodoWriteTool(BuiltinTool):
    """Keeps nothing itself: the list is the plan part of the answer."""

    name = "TodoWrite"
    kind = "think"
    default_permission = "auto"

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

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the list with ☐ ▶ ☑, for people as a plan."""
        entries = todos_of(input)
        return ToolOutput(render_todos(entries, context.language), plan=entries)
