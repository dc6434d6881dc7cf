"""Step: one call of the model, streamed into the answer, ended as a message and its calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.domain.content.events import ContextMeasured, Notice, UsageReported, kept_notice
from agents.domain.content.model_messages import (
    Attached,
    Block,
    ModelMessage,
    TextBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.domain.content.storable import storable, storable_json
from agents.domain.content.turn_texts import TURN, turn_text
from agents.domain.content.wording import say_to_all
from agents.engine.answer import Answer
from agents.engine.cards import as_read, pending_part
from agents.engine.live_context import LiveContext
from agents.engine.ports import model
from agents.engine.ports.journal import RecordedCall
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    LeftOut,
    ProviderError,
    Retrying,
    StreamEvent,
    TextDelta,
    TextWasThought,
    ThoughtDelta,
    ToolUse,
    UsageDelta,
)
from agents.engine.ports.tools import ToolFailure
from agents.engine.setup import TurnSetup

MAX_ID = 160
MAX_NAME = 200


@dataclass(slots=True)
class StepAnswer:
    """What the model answered; `done` stays None when the stream broke off."""

    texts: list[str] = field(default_factory=list)
    thought: bool = False
    attached: Attached | None = None
    calls: list[RecordedCall] = field(default_factory=list)
    done: Done | None = None

    @property
    def message(self) -> ModelMessage:
        """The answer as the model will read it again; blank text is left out."""
        text = "".join(self.texts)
        words: tuple[Block, ...] = (TextBlock(text=text),) if text.strip() else ()
        return ModelMessage(
            role="assistant",
            content=(*words, *(call.call for call in self.calls)),
            attached=self.attached,
        )


class Step:
    """Reads one answer of the model."""

    def __init__(
        self,
        setup: TurnSetup,
        answer: Answer,
        messages: tuple[ModelMessage, ...],
        live: LiveContext | None = None,
        number: int = 1,
    ) -> None:
        self._setup = setup
        self._number = number
        self._live = live
        self._answer = answer
        self._ids = {call.id for message in messages for call in tool_uses(message)}
        self._tools = {tool.spec.name: tool for tool in setup.tools}
        self._result = StepAnswer()

    async def run(self, request: ChatRequest) -> StepAnswer:
        """Streams the answer; raises `ProviderError`."""
        try:
            async with closing(self._setup.provider.stream(request)) as events:
                async for event in events:
                    await self._take(event)
                    if self._result.done is not None:
                        break
        finally:
            await self._answer.close_streamed()
        if self._result.done is None:
            words = say_to_all(TURN, "no-end", self._setup.language)
            raise ProviderError("cut-off", words)
        return self._result

    async def _take(self, event: StreamEvent) -> None:
        match event:
            case TextDelta(text=text):
                await self._say(storable(text))
            case ThoughtDelta(text=text):
                self._result.thought = True
                await self._answer.think(storable(text))
            case TextWasThought():
                await self._unsay()
            case model.Attached(source=source, fields=fields):
                self._result.attached = Attached(source=source, fields=storable_json(fields))
            case ToolUse():
                await self._take_call(event)
            case UsageDelta(input_tokens=read, output_tokens=written):
                await self._answer.tell(UsageReported(input_tokens=read, output_tokens=written))
            case Retrying(delay=delay, reason=reason):
                await self._notice("retry", delay=delay, reason=reason)
            case LeftOut(message=message):
                await self._answer.tell(kept_notice("left-out", message))
            case Done():
                self._result.done = event
                await self._note_end(event)

    async def _say(self, text: str) -> None:
        self._result.texts.append(text)
        await self._answer.say(text)
        if self._live is not None:
            await self._measure(await self._live.add(text))

    async def _unsay(self) -> None:
        """What looked like the answer was a thought."""
        self._result.texts.clear()
        self._result.thought = True
        if self._live is not None:
            self._live.forget_text()
        await self._answer.think_instead()

    async def _note_end(self, done: Done) -> None:
        """Says what people should know of an end; a call that may lack its own is marked."""
        if done.written_call:
            words = say_to_all(TURN, "written-call", self._setup.language)
            await self._answer.tell(kept_notice("written-call", words))
        if not done.cut and done.stop_reason != "max_tokens":
            return
        if self._result.calls:
            await self._answer.update_tool(self._result.calls[-1].part_index, truncated=True)
        await self._notice("cut")

    async def _take_call(self, use: ToolUse) -> None:
        call = ToolUseBlock(
            id=self._fresh_id(storable(use.id)),
            name=storable(use.name)[:MAX_NAME],
            input=storable_json(use.input),
            attached=storable_json(use.attached) or None,
        )
        unreadable = storable(use.unreadable)
        call = call if unreadable else self._read(call)
        index = await self._answer.start_tool(pending_part(self._tools, call, self._number))
        self._result.calls.append(RecordedCall(call, index, unreadable=unreadable, more=use.more))
        if self._live is not None:
            await self._measure(await self._live.add_call(call))

    def _read(self, call: ToolUseBlock) -> ToolUseBlock:
        """From here on it is the value that runs; what cannot be read stays, to be refused."""
        tool = self._tools.get(call.name)
        try:
            return call if tool is None else as_read(tool, call, self._setup.language)
        except ToolFailure:
            return call

    async def _measure(self, used: int | None) -> None:
        if used is not None:
            await self._answer.tell(ContextMeasured(used=used))

    def _fresh_id(self, wanted: str) -> str:
        """Some servers count from call_0 in each answer; results and permissions go by the id."""
        base = wanted[:MAX_ID] or "call"
        fresh, number = base if wanted else "call_1", 1
        while fresh in self._ids:
            number += 1
            fresh = f"{base}_{number}"
        self._ids.add(fresh)
        return fresh

    async def _notice(self, code: str, **values: object) -> None:
        message = turn_text(code, self._setup.language, **values)
        await self._answer.tell(Notice(code=code, message=message))


@asynccontextmanager
async def closing(events: AsyncIterator[StreamEvent]) -> AsyncIterator[AsyncIterator[StreamEvent]]:
    """Ends the stream at once however the reading ends, so that its connection is given back."""
    try:
        yield events
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
