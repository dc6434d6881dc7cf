"""The demo model: built in, offline; streams a prepared conversation around the real tools."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

from agents.engine.ports.model import (
    ChatRequest,
    Done,
    StreamEvent,
    TextDelta,
    ThoughtDelta,
    ToolUse,
    UsageDelta,
)
from agents.providers.demo.scenes import next_move
from agents.providers.demo.situation import read_situation

WORD_SECONDS = 0.022
_WORD = re.compile(r"\s*\S+|\s+")


class DemoModel:
    """Deterministic; looks at the tool results to know where its little scene stands."""

    def __init__(self, delay: float = WORD_SECONDS, model: str = "demo") -> None:
        self.model = model
        self._delay = delay

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yields the next step word by word, `delay` seconds apart."""
        now = read_situation(request)
        move = next_move(now)
        for delta, text in ((ThoughtDelta, move.thought), (TextDelta, move.text)):
            for word in _WORD.findall(text):
                yield delta(word)
                await asyncio.sleep(self._delay)
        for number, (name, given) in enumerate(move.calls, now.calls + 1):
            yield ToolUse(f"demo_{number}", name, given)
        read = len(request.system) + sum(len(str(one)) for one in request.messages)
        yield UsageDelta(read // 4, (len(move.thought) + len(move.text)) // 4 + 1)
        yield Done("tool_use" if move.calls else "end_turn")
