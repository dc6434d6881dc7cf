"""Situation: what was asked of the demo model, in which language, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    tool_uses,
)
from agents.engine.ports.model import ChatRequest
from agents.providers.demo.texts import Language, say, text_file, words

LONGEST_REQUEST = 2_000


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call since the request, and what came of it."""

    name: str
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

    def say(self, name: str, **values: object) -> str:
        """Returns a saying in the language of the request."""
        return say(name, self.language, **values)

    def prose(self, name: str) -> str:
        """Returns one of the longer texts in the language of the request."""
        return text_file(f"{name}.{self.language}.md")

    def done(self, name: str) -> list[Call]:
        """Returns the calls of one tool since the request."""
        return [call for call in self.calls if call.name == name]


def read_situation(request: ChatRequest) -> Situation:
    """Finds the last request among the messages, and what was done about it."""
    said = [_said(message) for message in request.messages]
    at = max((number for number, text in enumerate(said) if text), default=len(said))
    asked = said[at][-LONGEST_REQUEST:] if at < len(said) else ""
    used = [use for message in request.messages for use in tool_uses(message)]
    files = [use.input.get("path") for use in used if use.name in {"Write", "Edit"}]
    return Situation(
        asked=asked,
        language=_language(asked) or _language(request.system) or "en",
        tools=frozenset(tool.name for tool in request.tools),
        calls=tuple(_calls(request.messages[at + 1 :])),
        calls_before=len(used),
        last_file=next((path for path in reversed(files) if isinstance(path, str)), ""),
    )


def _said(message: ModelMessage) -> str:
    """Returns the last text a person said in `message`, or ""."""
    texts = [block.text for block in message.content if isinstance(block, TextBlock)]
    return texts[-1].strip() if texts and message.role == "user" else ""


def _calls(messages: tuple[ModelMessage, ...]) -> list[Call]:
    blocks = [block for message in messages for block in message.content]
    missing = ToolResultBlock(tool_use_id="", content="", is_error=True)
    results = {one.tool_use_id: one for one in blocks if isinstance(one, ToolResultBlock)}
    found = [
        (use.name, results.get(use.id, missing))
        for message in messages
        for use in tool_uses(message)
    ]
    return [Call(name, result.content, bool(result.is_error)) for name, result in found]


def _language(text: str) -> Language | None:
    french, english = (len(words(name).findall(text)) for name in ("french", "english"))
    if french == english:
        return None
    return "fr" if french > english else "en"
