"""Slash commands: which there are, and how a line is read as one (seed M §5.6)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Group = Literal["session", "context", "model", "conversation"]

_LINE = re.compile(r"/(?P<name>[^\s/]*)(?:\s+(?P<rest>.*))?\Z", re.DOTALL)
_AGENT = re.compile(r"@(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+|\Z)")
_QUOTED = re.compile(r'\s*"([^"]*)"\s*')


@dataclass(frozen=True, slots=True)
class SlashSpec:
    """A command of the server. `argument` is a key of its words, "" where it takes none.

    `viewers`: whoever sees the conversation may use it. `idle`: refused while an answer runs.
    """

    name: str
    group: Group
    argument: Literal["", "name", "name?", "model?"] = ""
    viewers: bool = False
    idle: bool = False


COMMANDS: tuple[SlashSpec, ...] = (
    SlashSpec("new", "session", idle=True),
    SlashSpec("load", "session", "name?", idle=True),
    SlashSpec("rename", "session", "name", idle=True),
    SlashSpec("delete", "session", "name?", idle=True),
    SlashSpec("clear", "context", idle=True),
    SlashSpec("compact", "context"),
    SlashSpec("model", "model", "model?"),
    SlashSpec("models", "model", viewers=True),
    SlashSpec("permissions", "conversation", viewers=True),
    SlashSpec("help", "conversation", viewers=True),
    SlashSpec("exit", "conversation", viewers=True),
)
BY_NAME = {spec.name: spec for spec in COMMANDS}


@dataclass(frozen=True, slots=True)
class Slash:
    """A command of the server: its `name`, the `agent` if one was addressed, its argument."""

    text: str
    name: str
    argument: str = ""
    agent: str | None = None


def parse_slash(text: str, agents: Collection[str] = ()) -> Slash | None:
    """Reads a line as a command of the server; None for what is said or goes to an agent.

    Only a command that there is counts, and one that takes no argument stands alone: `/tmp is full`
    and `/clear the cache` are said. One of `agents` may be addressed: `/clear @maia`,
    `/maia:clear`.
    """
    text = text.strip()
    match = _LINE.match(text)
    if match is None:
        return None
    by_name = {name.lower(): name for name in agents}
    rest = (match["rest"] or "").strip()
    prefix, colon, name = match["name"].lower().rpartition(":")
    agent = by_name.get(prefix)
    spec = BY_NAME.get(name)
    if spec is None or (colon and agent is None):
        return None
    addressed = _AGENT.match(rest)
    if agent is None and addressed:
        agent = by_name.get(addressed["name"].lower())
        if agent:
            rest = rest[addressed.end() :].strip()
    if "\n" in rest or (rest and not spec.argument):
        return None
    return Slash(text, name, rest, agent)


def names_in(argument: str) -> tuple[str, ...]:
    """Returns the names of an argument: one as it is, several each in double quotes."""
    found, end = [], 0
    while match := _QUOTED.match(argument, end):
        found.append(match[1])
        end = match.end()
    if found and end == len(argument):
        return tuple(found)
    return (argument.strip(),) if argument.strip() else ()
