"""Composer: reads one line that a person typed (seed S, "Qui répond à un message")."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(r"(?<![\w@./-])@([A-Za-z0-9][A-Za-z0-9_.-]*)(?![A-Za-z0-9_.-]|/)")
_ADDRESSED = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*):(\S+)(?:\s+(.*))?\Z", re.DOTALL)
_LEADING_MENTIONS = re.compile(r"(?:\s*@[A-Za-z0-9][A-Za-z0-9_.-]*)*\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """What was typed: `text` as the agents get it, `mentions` in order, each once.

    `addressed` is the agent of `/agent:command`; `is_command` lines are sent alone.
    """

    text: str
    mentions: tuple[str, ...] = ()
    addressed: str | None = None
    is_command: bool = False


def parse_line(text: str, agents: Collection[str]) -> Line:
    """Reads `text`; only names among `agents` count as agents, anything else is text."""
    text = text.strip()
    by_name = {name.lower(): name for name in agents}
    match = _ADDRESSED.match(text)
    if match and match[1].lower() in by_name:
        command = f"/{match[2]} {match[3] or ''}".strip()
        return Line(command, addressed=by_name[match[1].lower()], is_command=True)
    leading = _LEADING_MENTIONS.match(text)
    rest = text[leading.end() :] if leading else text
    return Line(text, mentions=_mentions(text, by_name), is_command=rest.startswith("/"))


def without_code(text: str) -> str:
    """Returns `text` with its code, in backticks, blanked; every position stays what it was."""
    return _CODE.sub(lambda code: " " * len(code[0]), text)


def without_mentions(text: str, agents: Collection[str]) -> str:
    """Returns `text` without the names of agents it begins with: `@maia §review`."""
    text = text.strip()
    while match := _MENTION.match(text):
        if named_agent(match[1], {name.lower(): name for name in agents}) is None:
            break
        text = text[match.end() :].lstrip(" \t\n,:")
    return text


def named_agent(word: str, by_name: dict[str, str]) -> str | None:
    """Returns the agent that the word after `@` names; punctuation may end it."""
    return by_name.get(word.lower()) or by_name.get(word.rstrip(".-_").lower())


def mention_at(prose: str, position: int, by_name: dict[str, str]) -> str | None:
    """Returns the agent mentioned by the `@` at `position` of a text without code, if any."""
    match = _MENTION.match(prose, position)
    return named_agent(match[1], by_name) if match else None


def _mentions(text: str, by_name: dict[str, str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _MENTION.finditer(without_code(text)):
        name = named_agent(match[1], by_name)
        if name:
            found.setdefault(name)
    return tuple(found)
