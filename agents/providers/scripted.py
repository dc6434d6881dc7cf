"""ScriptedModel: a `Provider` that plays prepared answers and errors, for tests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from typing import Any

from agents.engine.ports.model import (
    ChatRequest,
    Done,
    ProviderError,
    StreamEvent,
    TextDelta,
    ToolUse,
    UsageDelta,
)


@dataclass(slots=True)
class Hold:
    """Stops an answer in mid-stream: `reached` is set there, it goes on once `release` is."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


Step = StreamEvent | Hold | ProviderError
Script = tuple[Step, ...]


class ScriptedModel:
    """Plays one script a call, in order; `requests` holds what it was asked."""

    def __init__(self, *scripts: Iterable[Step], model: str = "scripted") -> None:
        self.model = model
        self.requests: list[ChatRequest] = []
        self.cancelled = 0
        self._scripts: deque[Script] = deque(tuple(script) for script in scripts)

    def add(self, *scripts: Iterable[Step]) -> None:
        """Appends scripts for later calls."""
        self._scripts.extend(tuple(script) for script in scripts)

    @property
    def left(self) -> int:
        """How many scripts have not been played."""
        return len(self._scripts)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yields the next script's events; raises its error; fails when no script is left."""
        self.requests.append(request)
        if not self._scripts:
            raise ProviderError("bad-request", "The script has no answer left.")
        try:
            for step in self._scripts.popleft():
                if isinstance(step, ProviderError):
                    raise step
                if isinstance(step, Hold):
                    step.reached.set()
                    await step.release.wait()
                else:
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise


def says(*texts: str) -> Script:
    """An answer of text deltas that ends the turn."""
    return (*(TextDelta(text) for text in texts), UsageDelta(10, len(texts)), Done("end_turn"))


def calls(name: str, call_id: str = "call_1", /, **given: Any) -> Script:
    """An answer with one tool call."""
    return (ToolUse(call_id, name, given), UsageDelta(10, 5), Done("tool_use"))
