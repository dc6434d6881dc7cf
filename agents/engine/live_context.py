"""LiveContext: how full the context is while an answer streams (seed M §13.3)."""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.memory.tokens import TOKENS_PER_MESSAGE, call_texts
from agents.engine.ports.tokens import Count

INTERVAL = 0.25
# A word that a space follows is complete: the tokens before that space do not change any more, so
# that counting piece by piece gives what counting the whole would give, and never more.
_COMPLETE = re.compile(r".*[^\W_](?=\s)", re.DOTALL)


class LiveContext:
    """Adds what has streamed to `base` tokens; tells at most every 250 ms, and never less.

    Each text is counted once: what it has cost so far is part of what the whole message costs.
    """

    def __init__(self, base: int, count: Count, steady: Callable[[], float]) -> None:
        self._base = base + TOKENS_PER_MESSAGE
        self._text = self._calls = 0
        self._told = base
        self._count = count
        self._steady = steady
        self._told_at = steady()
        self._rest: list[str] = []

    async def add(self, text: str) -> int | None:
        """Takes a piece of the answer's text; returns the tokens to tell, if it is time."""
        self._rest.append(text)
        return await self._due()

    async def add_call(self, call: ToolUseBlock) -> int | None:
        """Takes a complete tool call."""
        self._calls += await self._count(call_texts(call))
        return await self._due()

    def forget_text(self) -> None:
        """What was said so far is no part of the message."""
        self._text, self._rest = 0, []

    async def message_tokens(self) -> int:
        """Returns the tokens of the whole message; nothing comes any more. Blanks do not count."""
        rest = "".join(self._rest)
        self._rest = []
        if self._text or rest.strip():
            self._text += await self._count([rest])
        return TOKENS_PER_MESSAGE + self._text + self._calls

    async def _due(self) -> int | None:
        now = self._steady()
        if now - self._told_at < INTERVAL:
            return None
        self._told_at = now
        await self._take_complete()
        used = self._base + self._text + self._calls
        if used <= self._told:
            return None
        self._told = used
        return used

    async def _take_complete(self) -> None:
        text = "".join(self._rest)
        match = _COMPLETE.match(text)
        if match is not None:
            self._text += await self._count([match[0]])
            text = text[match.end() :]
        self._rest = [text] if text else []
