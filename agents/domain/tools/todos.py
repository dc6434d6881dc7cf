"""Todos: the task list that TodoWrite replaces at each call (seed M §8)."""

from __future__ import annotations

from typing import Any

from agents.domain.content.parts import PlanEntry
from agents.domain.content.wording import Sentences, say

SIGNS = {"pending": "☐", "in_progress": "▶", "completed": "☑"}
_TEXTS: Sentences = {
    "empty": ("The task list is empty.", "La liste de tâches est vide."),
    "several": (
        "Warning: {count} tasks are in progress; keep only one at a time.",
        "Avertissement : {count} tâches sont en cours ; n'en garde qu'une à la fois.",
    ),
}


def todos_of(input: dict[str, Any]) -> tuple[PlanEntry, ...]:
    """Returns the tasks of an input that was read."""
    return tuple(_entry(item) for item in input["todos"])


def render_todos(entries: tuple[PlanEntry, ...], language: str = "en") -> str:
    """Returns the list as the model reads it, with a warning if several are in progress."""
    if not entries:
        return say(_TEXTS, "empty", language)
    lines = [f"{SIGNS[entry.status]} {_label(entry)}" for entry in entries]
    active = sum(entry.status == "in_progress" for entry in entries)
    if active > 1:
        lines.append(say(_TEXTS, "several", language, count=active))
    return "\n".join(lines)


def _entry(item: dict[str, Any]) -> PlanEntry:
    return PlanEntry(
        content=item["content"], status=item["status"], active=item.get("activeForm", "")
    )


def _label(entry: PlanEntry) -> str:
    return entry.active if entry.status == "in_progress" and entry.active else entry.content
