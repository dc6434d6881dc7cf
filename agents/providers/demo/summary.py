"""Summary: what the demo model answers when a conversation is compacted."""

from __future__ import annotations

from agents.domain.content.model_messages import ModelMessage, TextBlock, tool_uses
from agents.domain.memory.compaction import PROMPT
from agents.engine.ports.model import ChatRequest

_MOST = 8
_LONGEST = 120


def summary_of(request: ChatRequest) -> str | None:
    """Returns a summary in the prompt's language if one was asked for, else None."""
    for place, prompt in enumerate(PROMPT["summary"]):
        if _last_text(request).endswith(prompt):
            return _written(
                request, [line[3:] for line in prompt.splitlines() if line[:2] == "##"], place
            )
    return None


def _written(request: ChatRequest, titles: list[str], french: int) -> str:
    asked = [_first_line(text) for text in _requests(request.messages[:-1])]
    told = (
        "The demonstration model wrote this summary: it lists what was asked.",
        "Le modèle de démonstration a écrit ce résumé : il liste ce qui a été demandé.",
    )[french]
    nothing = ("Nothing", "Rien")[french]
    sections = [[told], asked[-1:], _files(request.messages), asked[-_MOST:], []]
    return "\n".join(
        f"## {title}\n" + "\n".join(f"- {line}" for line in lines or [nothing])
        for title, lines in zip(titles, sections, strict=True)
    )


def _requests(messages: tuple[ModelMessage, ...]) -> list[str]:
    return [
        block.text
        for message in messages
        for block in message.content
        if message.role == "user" and isinstance(block, TextBlock)
    ]


def _files(messages: tuple[ModelMessage, ...]) -> list[str]:
    paths = [use.input.get("path") for message in messages for use in tool_uses(message)]
    return [f"`{path}`" for path in dict.fromkeys(paths) if isinstance(path, str)][:_MOST]


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _last_text(request: ChatRequest) -> str:
    blocks = request.messages[-1].content if request.messages else ()
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    return texts[-1] if texts else ""
