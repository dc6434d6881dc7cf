"""Answer: what a turn writes into its message, as events; the sink keeps the parts themselves."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.domain.content.events import PartDelta, PartReplaced, PartStarted, TurnEvent
from agents.domain.content.parts import Part, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from agents.engine.clock import Clock
from agents.engine.ports.sink import Sink


class Answer:
    """Changes the parts of the sink, by events that leave in the order of the changes.

    It keeps no part: what it goes on from is what stands there, and so is a part's revision.
    """

    def __init__(self, sink: Sink, clock: Clock) -> None:
        self._sink = sink
        self._clock = clock
        self._order = asyncio.Lock()
        self._open: type[TextPart] | type[ThoughtPart] | None = None
        self._open_at = 0
        self._blank = ""
        self._thinking_since = 0.0

    async def tell(self, event: TurnEvent) -> None:
        """Emits an event that builds on no part but the one that is streamed."""
        async with self._order:
            await self._sink.emit(event)

    async def say(self, text: str) -> None:
        """Streams text into the open text part, or begins one."""
        await self._stream(TextPart, text)

    async def think(self, text: str) -> None:
        """Streams reasoning into the open thought, or begins one."""
        await self._stream(ThoughtPart, text)

    async def think_instead(self) -> None:
        """Makes a thought of the open text: what ends it came only now."""
        if self._open is not TextPart:
            self._blank = ""
            return
        at, self._open, self._blank = self._open_at, None, ""
        async with self._order:
            text = getattr(self._sink.parts[at], "text", "")
            seconds = round(self._clock.steady() - self._thinking_since, 1)
            await self._sink.emit(
                PartReplaced(index=at, part=ThoughtPart(text=text, seconds=seconds))
            )

    async def close_streamed(self) -> None:
        """Ends the open text or thought; a thought learns how long it took."""
        was, self._open, self._blank = self._open, None, ""
        if was is not ThoughtPart:
            return
        seconds = round(self._clock.steady() - self._thinking_since, 1)
        async with self._order:
            await self._change(self._open_at, self._sink.parts[self._open_at], seconds=seconds)

    async def start_tool(self, part: ToolPart) -> int:
        """Adds a tool part and returns its index."""
        await self.close_streamed()
        async with self._order:
            return await self._start(part)

    async def update_tool(self, index: int, **changes: Any) -> None:
        """Changes fields of a tool part; raises `LookupError` where there is none."""
        async with self._order:
            part = self.tool_at(index)
            if part is None:
                raise LookupError(f"part {index} is no tool")
            await self._change(index, part, **changes)

    async def show_plan(self, entries: tuple[PlanEntry, ...]) -> None:
        """Adds the turn's plan part, or changes the one it has."""
        async with self._order:
            for index, part in enumerate(self._sink.parts):
                if isinstance(part, PlanPart):
                    await self._change(index, part, entries=entries)
                    return
            await self._start(PlanPart(entries=entries))

    @property
    def says_something(self) -> bool:
        """Whether there is any text for people; a part of blanks alone never begins."""
        return any(isinstance(part, TextPart) for part in self._sink.parts)

    def tool_at(self, index: int) -> ToolPart | None:
        """Returns the tool part at `index`, or None if there is none."""
        parts = self._sink.parts
        part = parts[index] if 0 <= index < len(parts) else None
        return part if isinstance(part, ToolPart) else None

    def find_tool(self, index: int, call_id: str) -> int | None:
        """Returns where the part of a call stands: at `index` if its id is there, else the last."""
        ids = [part.id if isinstance(part, ToolPart) else None for part in self._sink.parts]
        for at in (index, *reversed(range(len(ids)))):
            if 0 <= at < len(ids) and ids[at] == call_id:
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
            async with self._order:
                self._open_at = await self._start(kind())
            self._open = kind
            self._thinking_since = self._clock.steady()
        if text:
            await self.tell(PartDelta(index=self._open_at, text=text))

    async def _start(self, part: Part) -> int:
        index = len(self._sink.parts)
        await self._sink.emit(PartStarted(index=index, part=part))
        return index

    async def _change(self, index: int, part: Part, **changes: Any) -> None:
        newer = part.model_copy(update=changes)
        await self._sink.emit(PartReplaced(index=index, part=newer))
