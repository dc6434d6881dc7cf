"""DemoModel: a `Provider` that streams a prepared conversation around the real tools."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator

from agents.engine.ports.model import (
    ChatRequest,
    Done,
    StreamEvent,
    TextDelta,
    ThoughtDelta,
    ToolUse,
    UsageDelta,
)
from agents.providers.demo.scenes import Move, next_move
from agents.providers.demo.situation import read_situation
from agents.providers.demo.summary import summary_of

WORD_SECONDS = 0.022
_WORD = re.compile(r"\s*\S+|\s+")


class DemoModel:
    """Deterministic; looks at the tool results to know where its little scene stands."""

    def __init__(self, delay: float = WORD_SECONDS, model: str = "demo") -> None:
        self.model = model
        self._delay = delay

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yields the next step word by word, `delay` seconds apart."""
        situation = read_situation(request)
        summary = summary_of(request)
        move = Move(text=summary) if summary else next_move(situation)
        for event in _spoken(move):
            yield event
            await asyncio.sleep(self._delay)
        for number, (name, given) in enumerate(move.calls, situation.calls_before + 1):
            yield ToolUse(f"demo_{number}", name, given)
        yield UsageDelta(_size(request), (len(move.thought) + len(move.text)) // 4 + 1)
        yield Done("tool_use" if move.calls else "end_turn")


def _spoken(move: Move) -> Iterator[StreamEvent]:
    for word in _WORD.findall(move.thought):
        yield ThoughtDelta(word)
    for word in _WORD.findall(move.text):
        yield TextDelta(word)


def _size(request: ChatRequest) -> int:
    return (len(request.system) + sum(len(str(one)) for one in request.messages)) // 4
