"""Line: the one reader of what a person typed (seeds M §5.5, §11.2-§11.4 and S).

A line is read once, when it comes; every other part of the house gets what was read. Whoever
handles the cases ends with `assert_never`: a new case is named everywhere by the type checker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from agents.domain.typed.file_references import FileReference, parse_references
from agents.domain.typed.mentions import by_lower_name, mentions_in, without_mentions
from agents.domain.typed.shell_input import UnclosedQuote, parse_shell
from agents.domain.typed.slash import Slash, parse_slash

__all__ = ["Line", "Request", "Said", "Shell", "SkillCall", "Slash", "kept", "parse", "request_of"]

_ADDRESSED = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*):(\S+)(?:\s+(.*))?\Z", re.DOTALL)
_SKILL = re.compile(r"§[ \t]*(?P<name>[^\s§]*)(?:\s+(?P<arguments>.*))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shell:
    """`!command`, for the person's sandbox. `command` "": help; None: its quote never closes."""

    text: str
    command: str | None


@dataclass(frozen=True, slots=True)
class SkillCall:
    """`§name arguments`, maybe after names of agents; without a `name` it asks for the list."""

    text: str
    name: str
    arguments: str = ""
    mentions: tuple[str, ...] = ()
    references: tuple[FileReference, ...] = ()
    type: Literal["skill"] = "skill"

    @property
    def heard(self) -> str:
        """What an agent gets where the skill's prompt does not take its place."""
        return self.text

    @property
    def alone(self) -> bool:
        """Tells whether nothing else of the channel goes with it."""
        return False


@dataclass(frozen=True, slots=True)
class Said:
    """Words for agents. `mentions`: those it names, in order, each once.

    `command`: what is left of `/agent:command` for that agent, else "". `alone`: it begins with
    `/`, maybe after mentions; nothing else of the channel goes with it (seed S).
    """

    text: str
    mentions: tuple[str, ...] = ()
    references: tuple[FileReference, ...] = ()
    command: str = ""
    alone: bool = False
    type: Literal["said"] = "said"

    @property
    def heard(self) -> str:
        """What an agent gets."""
        return self.command or self.text


Request: TypeAlias = SkillCall | Said
"""What agents answer."""
Line: TypeAlias = Slash | Shell | SkillCall | Said
_REQUEST: TypeAdapter[Request] = TypeAdapter(SkillCall | Said)


def parse(text: str, agents: Collection[str]) -> Line:
    """Reads `text`, whatever it is; only names among `agents` count as agents.

    Nothing is lost: `text` of what is returned is what was typed, but for spaces around it.
    """
    text = text.strip()
    try:
        shell = parse_shell(text)
    except UnclosedQuote:
        return Shell(text, None)
    if shell is not None:
        return Shell(text, shell.command)
    return parse_slash(text, agents) or _request(text, agents)


def kept(request: Request) -> dict[str, Any]:
    """Returns a request in the form in which its turn keeps it; its text is its message's."""
    fields: dict[str, Any] = _REQUEST.dump_python(request, mode="json", exclude={"text"})
    return fields


def request_of(fields: dict[str, Any], text: str) -> Request:
    """Returns the request that was `kept`."""
    return _REQUEST.validate_python({**fields, "text": text})


def _request(text: str, agents: Collection[str]) -> Request:
    references = parse_references(text, agents)
    by_name = by_lower_name(agents)
    addressed = _ADDRESSED.match(text)
    if addressed and addressed[1].lower() in by_name:
        command = f"/{addressed[2]} {addressed[3] or ''}".strip()
        return Said(text, (by_name[addressed[1].lower()],), references, command, alone=True)
    mentions = mentions_in(text, agents)
    rest = without_mentions(text, agents)
    skill = _SKILL.match(rest)
    if skill:
        arguments = (skill["arguments"] or "").strip()
        name = unicodedata.normalize("NFC", skill["name"])
        return SkillCall(text, name, arguments, mentions, references)
    return Said(text, mentions, references, alone=rest.startswith("/"))
