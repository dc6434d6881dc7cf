"""Summary: what the demo model answers when a conversation is compacted."""

from __future__ import annotations

from agents.domain.content.model_messages import TextBlock, tool_uses
from agents.domain.memory.compaction import PROMPT
from agents.engine.ports.model import ChatRequest
from agents.providers.demo.texts import Language, say

_MOST = 8
_LONGEST = 120


def summary_of(request: ChatRequest) -> str | None:
    """Returns a summary in the prompt's language if one was asked for, else None."""
    last = request.messages[-1].content if request.messages else ()
    said = next((one.text for one in reversed(last) if isinstance(one, TextBlock)), "")
    languages: tuple[Language, Language] = ("en", "fr")
    for prompt, language in zip(PROMPT["summary"], languages, strict=True):
        if said.endswith(prompt):
            titles = [line[3:] for line in prompt.splitlines() if line[:2] == "##"]
            return _written(request, titles, language)
    return None


def _written(request: ChatRequest, titles: list[str], language: Language) -> str:
    asked = [
        _first_line(block.text)
        for message in request.messages[:-1]
        for block in message.content
        if message.role == "user" and isinstance(block, TextBlock)
    ]
    paths = [use.input.get("path") for one in request.messages for use in tool_uses(one)]
    files = [f"`{path}`" for path in dict.fromkeys(paths) if isinstance(path, str)][:_MOST]
    sections = [[say("summary", language)], asked[-1:], files, asked[-_MOST:], []]
    return "\n".join(
        f"## {title}\n" + "\n".join(f"- {line}" for line in lines or [say("nothing", language)])
        for title, lines in zip(titles, sections, strict=True)
    )


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
