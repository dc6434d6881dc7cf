"""Replies: what the server answers to a slash command, as blocks that a client draws."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.domain.rules.text import Family
from maia_web.lib.values import Value

Level = Literal["info", "warn", "fail", "ok"]


class MarkdownBlock(Value):
    """Markdown for people; `level` puts a badge in front of it."""

    type: Literal["markdown"] = "markdown"
    text: str
    level: Level | None = None


class DetailsBlock(Value):
    """Markdown that is folded until somebody opens it."""

    type: Literal["details"] = "details"
    title: str
    text: str


class RuleLine(Value):
    """A permission rule and what it decides."""

    family: Family
    rule: str


class RulesBlock(Value):
    """The rules of one scope, each with its badge."""

    type: Literal["rules"] = "rules"
    title: str
    rules: tuple[RuleLine, ...]


class Choice(Value):
    """One entry of a list: choosing it sends the command with `value`."""

    value: str
    words: str = ""
    current: bool = False
    disabled: bool = False


class ChoicesBlock(Value):
    """Entries to choose from; `many`: several at once, confirmed by `action`."""

    type: Literal["choices"] = "choices"
    command: str
    title: str = ""
    action: str = ""
    many: bool = False
    choices: tuple[Choice, ...] = ()


ReplyBlock = Annotated[
    MarkdownBlock | DetailsBlock | RulesBlock | ChoicesBlock, Field(discriminator="type")
]


class Reply(Value):
    """The whole answer to a command."""

    command: str
    line: str
    level: Level = "info"
    blocks: tuple[ReplyBlock, ...] = ()


def text_reply(line: str, command: str, text: str, level: Level = "info") -> Reply:
    """Returns a reply of one sentence."""
    blocks = (MarkdownBlock(text=text),) if text else ()
    return Reply(command=command, line=line, level=level, blocks=blocks)
