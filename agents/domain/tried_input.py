"""input_from_text: what a person types into the tester, as the input of a call."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.rules import ALIASES

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


def input_from_text(tool: str, text: str) -> dict[str, Any]:
    """Returns a JSON object as it is, else the text as the field that matters for the tool."""
    name = ALIASES.get(tool, tool)
    if name != "Bash":
        found = _object(text)
        if found is not None:
            return found
    return {FIELDS.get(name, "value"): text if name == "Bash" else text.strip()}


def text_from_input(tool: str, input: dict[str, Any]) -> str:
    """Returns what would be typed for this input: the field that matters alone, or JSON."""
    field = FIELDS.get(ALIASES.get(tool, tool), "")
    value = input.get(field)
    if isinstance(value, str) and (field == "command" or len(input) == 1):
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
