"""Situation: what was asked of the demo model, in which language, and what came of it so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.domain.content.model_messages import TextBlock, ToolResultBlock, tool_uses
from agents.engine.ports.model import ChatRequest
from agents.providers.demo.texts import Language, say, text_file, words

LONGEST_REQUEST = 2_000
_TOLD_BEFORE = re.compile(
    r"(?:\[… [^\]\n]+ …\]\n\n)?"
    r"(?:(?:The user ran this command|L'utilisateur a exécuté lui-même).*\n\[[^\]\n]+\]\n\n)?"
    r"(?:<channel-history>.*</channel-history>\n\n)?"
    r"(?:\[[^\]\n]+\] )?",
    re.S,
)
"""What `build_request` puts before a request: commands of people, what was said, who asks."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the conversation stands; `results` are those since the request, answer by answer."""

    asked: str
    before: tuple[str, ...]
    language: Language
    tools: frozenset[str]
    results: tuple[tuple[ToolResultBlock, ...], ...]
    calls: int
    paths: tuple[tuple[str, str], ...]
    """Tool and path of all calls that had one."""

    def say(self, name: str, **values: object) -> str:
        """Returns a saying in the language of the request."""
        return say(name, self.language, **values)

    def prose(self, name: str) -> str:
        """Returns one of the longer texts in the language of the request."""
        return text_file(f"{name}.{self.language}.md")

    @property
    def last_file(self) -> str:
        """The file that was written or changed last, or ""."""
        return next((p for tool, p in reversed(self.paths) if tool in ("Write", "Edit")), "")


def read_situation(request: ChatRequest) -> Situation:
    """Finds the last request among the messages, and what was done about it."""
    texts = list(_texts(request))
    at, text = texts[-1] if texts else (len(request.messages), "")
    asked = text[-LONGEST_REQUEST:]
    answers = [
        tuple(block for block in message.content if isinstance(block, ToolResultBlock))
        for message in request.messages[at + 1 :]
    ]
    uses = [use for message in request.messages for use in tool_uses(message)]
    paths = [(use.name, use.input.get("path")) for use in uses]
    return Situation(
        asked=asked,
        before=tuple(earlier for _, earlier in texts[:-1]),
        language=_language(asked) or _language(request.system) or "en",
        tools=frozenset(tool.name for tool in request.tools),
        results=tuple(results for results in answers if results),
        calls=len(uses),
        paths=tuple((tool, path) for tool, path in paths if isinstance(path, str)),
    )


def _texts(request: ChatRequest) -> Iterator[tuple[int, str]]:
    """Yields what people said, and in which message."""
    for at, message in enumerate(request.messages):
        for block in message.content if message.role == "user" else ():
            if isinstance(block, TextBlock) and block.text.strip():
                yield at, _TOLD_BEFORE.sub("", block.text.strip(), count=1)


def _language(text: str) -> Language | None:
    french, english = (len(words(name).findall(text)) for name in ("french", "english"))
    return None if french == english else "fr" if french > english else "en"
