"""LiveContext: how full the context is while an answer streams (seed M §13.3)."""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.memory.tokens import TOKENS_PER_MESSAGE, call_texts

INTERVAL = 0.25
# A word that a space follows is complete: the tokens before that space do not change any more, so
# that counting piece by piece gives what counting the whole would give, and never more.
_COMPLETE = re.compile(r".*[^\W_](?=\s)", re.DOTALL)


class LiveContext:
    """Adds what has streamed to `base` tokens; tells at most every 250 ms, and never less."""

    def __init__(self, base: int, count: Callable[[str], int], steady: Callable[[], float]) -> None:
        self._used = base + TOKENS_PER_MESSAGE
        self._told = base
        self._count = count
        self._steady = steady
        self._told_at = steady()
        self._rest: list[str] = []

    def add(self, text: str) -> int | None:
        """Takes a piece of the answer's text; returns the tokens to tell, if it is time."""
        self._rest.append(text)
        return self._due()

    def add_call(self, call: ToolUseBlock) -> int | None:
        """Takes a complete tool call."""
        self._used += sum(self._count(text) for text in call_texts(call))
        return self._due()

    def _due(self) -> int | None:
        now = self._steady()
        if now - self._told_at < INTERVAL:
            return None
        self._told_at = now
        self._take_complete()
        if self._used <= self._told:
            return None
        self._told = self._used
        return self._told

    def _take_complete(self) -> None:
        text = "".join(self._rest)
        match = _COMPLETE.match(text)
        if match is not None:
            self._used += self._count(match[0])
            text = text[match.end() :]
        self._rest = [text] if text else []
