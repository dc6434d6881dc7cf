"""Answer: the parts of the message a turn writes, and the events that tell of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agents.domain.content.events import PartDelta, PartReplaced, PartStarted, TurnEvent
from agents.domain.content.parts import Part, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from agents.engine.clock import Clock
from agents.engine.ports.sink import Sink


class Answer:
    """Grows the parts and emits each change; events leave in the order the parts changed."""

    def __init__(self, sink: Sink, clock: Clock, parts: Sequence[Part] = ()) -> None:
        self._sink = sink
        self._clock = clock
        self._parts = list(parts)  # the text of an open part stays in _streamed until it ends
        self._streamed: list[str] = []
        self._order = asyncio.Lock()
        self._open: type[TextPart] | type[ThoughtPart] | None = None
        self._blank = ""
        self._thinking_since = 0.0

    async def tell(self, event: TurnEvent) -> None:
        """Emits an event that changes no part."""
        async with self._order:
            await self._sink.emit(event)

    async def say(self, text: str) -> None:
        """Streams text into the open text part, or begins one."""
        await self._stream(TextPart, text)

    async def think(self, text: str) -> None:
        """Streams reasoning into the open thought, or begins one."""
        await self._stream(ThoughtPart, text)

    async def close_streamed(self) -> None:
        """Ends the open text or thought; a thought learns how long it took."""
        was, self._open, self._blank = self._open, None, ""
        if was is not ThoughtPart:
            return
        seconds = round(self._clock.steady() - self._thinking_since, 1)
        thought = ThoughtPart(text="".join(self._streamed), seconds=seconds)
        index = len(self._parts) - 1
        self._parts[index] = thought
        await self.tell(PartReplaced(index=index, part=thought))

    async def start_tool(self, part: ToolPart) -> int:
        """Adds a tool part and returns its index."""
        await self.close_streamed()
        return await self._start(part)

    async def update_tool(self, index: int, **changes: Any) -> None:
        """Changes fields of a tool part; its revision grows by one."""
        async with self._order:
            part = self.tool_at(index)
            if part is None:
                raise LookupError(f"part {index} is no tool")
            newer = part.model_copy(update={**changes, "rev": part.rev + 1})
            await self._replace(index, newer)

    async def show_plan(self, entries: tuple[PlanEntry, ...]) -> None:
        """Adds the turn's plan part, or replaces the one it has."""
        async with self._order:
            for index, part in enumerate(self._parts):
                if isinstance(part, PlanPart):
                    await self._replace(index, PlanPart(rev=part.rev + 1, entries=entries))
                    return
        await self._start(PlanPart(entries=entries))

    @property
    def says_something(self) -> bool:
        """Whether there is any text for people; a part of blanks alone never begins."""
        return any(isinstance(part, TextPart) for part in self._parts)

    def tool_at(self, index: int) -> ToolPart | None:
        """Returns the tool part at `index`, or None if there is none."""
        part = self._parts[index] if 0 <= index < len(self._parts) else None
        return part if isinstance(part, ToolPart) else None

    def find_tool(self, index: int, call_id: str) -> int | None:
        """Returns where the part of a call stands: at `index` if its id is there, else the last."""
        for at in (index, *reversed(range(len(self._parts)))):
            part = self.tool_at(at)
            if part is not None and part.id == call_id:
                return at
        return None

    async def _stream(self, kind: type[TextPart] | type[ThoughtPart], text: str) -> None:
        """Blank beginnings wait for something to see: a part of spaces alone helps nobody."""
        if self._open is not kind:
            if self._open is not None:
                await self.close_streamed()
            self._blank += text
            if not self._blank.strip():
                return
            text, self._blank = self._blank, ""
            await self._start(kind())
            self._open, self._streamed = kind, []
            self._thinking_since = self._clock.steady()
        if text:
            self._streamed.append(text)
            await self.tell(PartDelta(index=len(self._parts) - 1, text=text))

    async def _start(self, part: Part) -> int:
        async with self._order:
            index = len(self._parts)
            self._parts.append(part)
            await self._sink.emit(PartStarted(index=index, part=part))
            return index

    async def _replace(self, index: int, part: Part) -> None:
        self._parts[index] = part
        await self._sink.emit(PartReplaced(index=index, part=part))
