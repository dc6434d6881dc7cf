"""Situation: what was asked of the demo model, in which language, and how far it has come."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.engine.ports.model import ChatRequest

Language = Literal["en", "fr"]

_FRENCH = re.compile(
    r"(?i)\b(?:le|la|les|un|une|des|du|et|dans|moi|mon|avec|par|est|que|qui|pour|fichiers?|bonjour"
    r"|salut|merci|[ée]cris|cr[ée]e|lance|ex[ée]cute|cherche|liste|montre|remplace|modifie|lis"
    r"|r[ée]fl[ée]chis|t[âa]ches|tableau|peux|vous|tu|aide)\b"
)
_ENGLISH = re.compile(
    r"(?i)\b(?:the|a|an|and|in|me|my|with|by|is|that|which|for|files?|hello|hi|thanks|write|create"
    r"|make|run|execute|search|find|list|show|replace|change|edit|read|think|table|can|you|help)\b"
)
LONGEST_REQUEST = 2_000


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call since the request, and what came of it."""

    name: str
    input: dict[str, object]
    output: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the conversation stands; `calls` are those made since the request."""

    asked: str
    language: Language
    tools: frozenset[str]
    calls: tuple[Call, ...] = ()
    calls_before: int = 0
    last_file: str = ""

    def say(self, english: str, french: str) -> str:
        """Returns the text in the language of the request."""
        return french if self.language == "fr" else english

    def done(self, name: str) -> list[Call]:
        """Returns the calls of one tool since the request."""
        return [call for call in self.calls if call.name == name]


def read_situation(request: ChatRequest) -> Situation:
    """Finds the last request among the messages, and what was done about it."""
    messages = request.messages
    at = max(
        (number for number, message in enumerate(messages) if _said(message)), default=len(messages)
    )
    asked = _said(messages[at])[-LONGEST_REQUEST:] if at < len(messages) else ""
    return Situation(
        asked=asked,
        language=_language(asked) or _language(request.system) or "en",
        tools=frozenset(tool.name for tool in request.tools),
        calls=tuple(_calls(messages[at + 1 :])),
        calls_before=sum(len(tool_uses(message)) for message in messages),
        last_file=_last_file(messages),
    )


def _said(message: ModelMessage) -> str:
    """Returns the last text a person said in `message`, or ""."""
    texts = [block.text for block in message.content if isinstance(block, TextBlock)]
    return texts[-1].strip() if texts and message.role == "user" else ""


def _calls(messages: tuple[ModelMessage, ...]) -> list[Call]:
    blocks = [block for message in messages for block in message.content]
    results = {one.tool_use_id: one for one in blocks if isinstance(one, ToolResultBlock)}
    return [
        Call(one.name, one.input, _output(results.get(one.id)), _failed(results.get(one.id)))
        for one in blocks
        if isinstance(one, ToolUseBlock)
    ]


def _output(result: ToolResultBlock | None) -> str:
    return result.content if result else ""


def _failed(result: ToolResultBlock | None) -> bool:
    return result is None or bool(result.is_error)


def _last_file(messages: tuple[ModelMessage, ...]) -> str:
    used = [use for message in messages for use in tool_uses(message)]
    files = [use.input.get("path") for use in used if use.name in {"Write", "Edit"}]
    return next((path for path in reversed(files) if isinstance(path, str)), "")


def _language(text: str) -> Language | None:
    french, english = len(_FRENCH.findall(text)), len(_ENGLISH.findall(text))
    if french == english:
        return None
    return "fr" if french > english else "en"
