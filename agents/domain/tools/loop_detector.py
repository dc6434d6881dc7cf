"""Loop detector: same tool, same input, same output three times in a row (seed T)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.domain.content.wording import Sentences, say

LIMIT = 3
MARK = "\n[LOOP_DETECTED: "
_TEXTS: Sentences = {
    "loop": (
        "{name} was called {count} times in a row with the same input and gave the same output. "
        "Do something else.",
        "{name} a été appelé {count} fois de suite avec la même entrée et a donné la même "
        "sortie. Change d'approche.",
    ),
}


class LoopDetector:
    """Remembers the last call and how often it came in a row."""

    def __init__(self) -> None:
        self._last: tuple[str, str, str] | None = None
        self._count = 0

    def add(self, name: str, input: dict[str, Any], output: str) -> int:
        """Records a call and returns how many times in a row it has now come."""
        call = (name, json.dumps(input, sort_keys=True, default=str), output)
        self._count = self._count + 1 if call == self._last else 1
        self._last = call
        return self._count

    def checked(self, call: ToolUseBlock, output: str, language: str) -> str:
        """Records a call and returns its output, with a warning at its end from the third on."""
        count = self.add(call.name, call.input, output)
        if count < LIMIT:
            return output
        sentence = say(_TEXTS, "loop", language, name=call.name, count=count)
        return f"{output}{MARK}{sentence}]"


def detector_after(messages: Iterable[ModelMessage]) -> LoopDetector:
    """Returns a detector that has seen the calls since the last words of a person."""
    detector = LoopDetector()
    asked: dict[str, ToolUseBlock] = {}
    for message in messages:
        asked.update((call.id, call) for call in tool_uses(message))
        for block in message.content if message.role == "user" else ():
            if isinstance(block, TextBlock):
                detector = LoopDetector()
            elif isinstance(block, ToolResultBlock) and block.tool_use_id in asked:
                call = asked[block.tool_use_id]
                detector.add(call.name, call.input, block.content.partition(MARK)[0])
    return detector
