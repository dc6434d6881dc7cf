"""History: what a loaded session contains, shown again for people (seed M §12.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from agents.domain.content.model_messages import Block, ModelMessage, TextBlock, ToolUseBlock

LONGEST_RESULT = 600
LONGEST_REQUEST = 1_500
LONGEST_INPUT = 200
_TICKS = re.compile(r"`{3,}")


def history_text(messages: Sequence[ModelMessage], *, person: str, agent: str) -> str:
    """Returns the conversation as Markdown; `person` and `agent` name who speaks.

    Tool results are cut to 600 characters, requests to 1,500.
    """
    return "\n\n".join(
        text for message in messages if (text := _message(message, person=person, agent=agent))
    )


def _message(message: ModelMessage, *, person: str, agent: str) -> str:
    shown = [_block(block, message.role == "user") for block in message.content]
    spoken = any(isinstance(block, TextBlock) for block in message.content)
    head = [f"**{person if message.role == 'user' else agent}**"] if spoken else []
    return "\n\n".join([*head, *(text for text in shown if text)])


def _block(block: Block, requested: bool) -> str:
    if isinstance(block, TextBlock):
        return _lines(_cut(block.text, LONGEST_REQUEST)) if requested else block.text
    if isinstance(block, ToolUseBlock):
        given = json.dumps(block.input, ensure_ascii=False)
        return f"⚙ **{block.name}** " + _inline(_cut(given, LONGEST_INPUT))
    return _fenced(_cut(block.content, LONGEST_RESULT))


def _lines(text: str) -> str:
    """Keeps each line of what a person wrote, as their messages do."""
    return text.replace("\n", "  \n")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _inline(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _fenced(text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"
