"""Line: the one reader of what a person typed (seeds M §5.5, §11.2-§11.4 and S).

A line is read once, when it comes; every other part of the house gets what was read. Whoever
handles the cases ends with `assert_never`: a new case is named everywhere by the type checker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from agents.domain.typed.file_references import FileReference, parse_references
from agents.domain.typed.mentions import by_lower_name, mentions_in, without_mentions
from agents.domain.typed.shell_input import UnclosedQuote, parse_shell
from agents.domain.typed.slash import Slash, parse_slash

__all__ = [
    "Line",
    "Request",
    "Said",
    "Shell",
    "SkillCall",
    "Slash",
    "kept",
    "parse",
    "request_of",
    "trimmed",
]

_ADDRESSED = re.compile(r"/([A-Za-z0-9][A-Za-z0-9_.-]*):(\S+)(?:\s+(.*))?\Z", re.DOTALL)
_SKILL = re.compile(
    r"§(?![ \t]*\d+[a-z]?(?:[\s.,;:)/]|\Z))[ \t]*(?P<name>[^\s§]*)(?:\s+(?P<arguments>.*))?\Z",
    re.DOTALL,
)
"""`§ 433` and `§12a` are paragraphs of a law."""
_COMMAND = re.compile(r"/[^\s/\\.]+(?:\s|\Z)")
_INDENTED = re.compile(r"(?:\t| {4})")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


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

    `command`: what is left of `/agent:command` for that agent, else "". `plain`: the line without
    the `\\` in front that makes words of it, else "". `alone`: it begins with `/word`, maybe
    after mentions; nothing else of the channel goes with it (seed S).
    """

    text: str
    mentions: tuple[str, ...] = ()
    references: tuple[FileReference, ...] = ()
    command: str = ""
    alone: bool = False
    plain: str = ""
    type: Literal["said"] = "said"

    @property
    def heard(self) -> str:
        """What an agent gets."""
        return self.command or self.plain or self.text


Request: TypeAlias = SkillCall | Said
"""What agents answer."""
Line: TypeAlias = Slash | Shell | SkillCall | Said
_REQUEST: TypeAdapter[Request] = TypeAdapter(SkillCall | Said)


def parse(text: str, agents: Collection[str], hosted: Collection[str] | None = None) -> Line:
    """Reads `text`, whatever it is; only names among `agents` count as agents.

    `hosted` are those of them whose sessions the server keeps, by default all: its commands may
    address them. Nothing is lost: `text` of what is returned is what was typed, but for spaces
    after it and blank lines before it. What is indented like code is said.
    """
    text = trimmed(text)
    if _INDENTED.match(text):
        return _said(text, text, agents)
    if text.startswith("\\") and _is_signed(text[1:], agents, hosted):
        return replace(_said(text, text[1:], agents), plain=text[1:])
    words = text.strip()
    read = _signed(words, agents, hosted) or _request(words, agents)
    return replace(read, text=text) if isinstance(read, Said) and not read.alone else read


def trimmed(text: str) -> str:
    """Returns a text without what surrounds it, but with the indentation of its first line."""
    blank = _BLANK_LINES.match(text)
    return text[blank.end() if blank else 0 :].rstrip()


def kept(request: Request) -> dict[str, Any]:
    """Returns a request in the form in which its turn keeps it; its text is its message's."""
    fields: dict[str, Any] = _REQUEST.dump_python(request, mode="json", exclude={"text"})
    return fields


def request_of(fields: dict[str, Any], text: str) -> Request:
    """Returns the request that was `kept`."""
    return _REQUEST.validate_python({**fields, "text": text})


def _signed(
    text: str, agents: Collection[str], hosted: Collection[str] | None
) -> Slash | Shell | None:
    """Returns the command of the person or of the server that `text` is, if it is one."""
    try:
        shell = parse_shell(text)
    except UnclosedQuote:
        return Shell(text, None)
    if shell is not None:
        return Shell(text, shell.command)
    keeping = agents if hosted is None else hosted
    slash = parse_slash(text, keeping)
    mentions = mentions_in(text, agents) if slash is None and text.startswith("@") else ()
    if len(mentions) == 1 and mentions[0] in keeping:
        slash = parse_slash(without_mentions(text, agents))
        return replace(slash, text=text, agent=mentions[0]) if slash else None
    return slash


def _is_signed(text: str, agents: Collection[str], hosted: Collection[str] | None) -> bool:
    """Tells whether a `\\` in front of `text` keeps it from being a command or a skill."""
    if _signed(text, agents, hosted) or _COMMAND.match(text):
        return True
    return isinstance(_request(text, agents), SkillCall)


def _said(text: str, words: str, agents: Collection[str]) -> Said:
    """Returns words for agents; `words` is the part of `text` that may name agents and files."""
    return Said(text, mentions_in(words, agents), parse_references(words, agents))


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
    return Said(text, mentions, references, alone=bool(_COMMAND.match(rest)))
