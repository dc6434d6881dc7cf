"""Turns what a person types into the tester into the input of a call."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.rules.policy import ALIASES
from agents.domain.tools.parameters import named_input

FIELDS = {
    "Bash": "command",
    "Read": "path",
    "Write": "path",
    "Edit": "path",
    "Glob": "path",
    "Grep": "path",
    "WebFetch": "url",
    "Skill": "name",
    "Agent": "agent",
}
"""The field that the rules of a tool look at, so that it can be typed alone."""
SEARCHES = ("Glob", "Grep")
"""These look everywhere where no path is given."""


def input_from_text(tool: str, text: str) -> dict[str, Any]:
    """Returns a JSON object as it is, else the text as the field that matters for the tool."""
    name = ALIASES.get(tool, tool)
    found = _object(text)
    if found is not None:
        return found
    return {FIELDS.get(name, "value"): text if name == "Bash" else text.strip()}


def missing_field(tool: str, input: dict[str, Any]) -> str:
    """Returns the field that the rules of a tool need and the input lacks as a text, else ""."""
    name = ALIASES.get(tool, tool)
    field = "" if name in SEARCHES else FIELDS.get(name, "")
    return "" if isinstance(named_input(tool, input).get(field), str) else field


def text_from_input(tool: str, input: dict[str, Any]) -> str:
    """Returns what would be typed for this input: the field that matters alone, or JSON."""
    field = FIELDS.get(ALIASES.get(tool, tool), "")
    value = input.get(field)
    alone = field == "command" or len(input) == 1
    if isinstance(value, str) and alone and _object(value) is None:
        return value
    return json.dumps(input, ensure_ascii=False, indent=2)


def _object(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
