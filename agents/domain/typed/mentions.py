"""Mentions: which agents a text names with `@`, outside of code (seed S)."""

from __future__ import annotations

import re
from collections.abc import Collection

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(r"(?<![\w@./-])@([A-Za-z0-9][A-Za-z0-9_.-]*)(?![A-Za-z0-9_.-]|/)")
_LEADING = re.compile(_MENTION.pattern + r"[ \t\n,:]*")


def by_lower_name(agents: Collection[str]) -> dict[str, str]:
    """Returns the names by their lower case, as a person may type them."""
    return {name.lower(): name for name in agents}


def mentions_in(text: str, agents: Collection[str]) -> tuple[str, ...]:
    """Returns the agents that `text` names, in order, each once; anything else is text."""
    by_name = by_lower_name(agents)
    found: dict[str, None] = {}
    for match in _MENTION.finditer(without_code(text)):
        name = _named_agent(match[1], by_name)
        if name:
            found.setdefault(name)
    return tuple(found)


def mention_at(prose: str, position: int, by_name: dict[str, str]) -> str | None:
    """Returns the agent mentioned by the `@` at `position` of a text without code, if any."""
    match = _MENTION.match(prose, position)
    return _named_agent(match[1], by_name) if match else None


def without_code(text: str) -> str:
    """Returns `text` with its code, in backticks, blanked; every position stays what it was."""
    return _CODE.sub(lambda code: " " * len(code[0]), text)


def without_mentions(text: str, agents: Collection[str]) -> str:
    """Returns `text` without the names of agents it begins with: `@maia §review`."""
    by_name = by_lower_name(agents)
    text = text.strip()
    at = 0
    while match := _LEADING.match(text, at):
        if _named_agent(match[1], by_name) is None:
            break
        at = match.end()
    return text[at:]


def _named_agent(word: str, by_name: dict[str, str]) -> str | None:
    """Returns the agent that the word after `@` names; punctuation may end it."""
    return by_name.get(word.lower()) or by_name.get(word.rstrip(".-_").lower())
