"""Turn: model calls and tool calls until it is done, stopped or failed (seed M §6.2)."""

from __future__ import annotations

from agents.domain.content.events import ContextMeasured, TurnEnded
from agents.domain.content.messages import MessageError, StopReason, failed
from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.turn_texts import TURN, is_stopped
from agents.domain.content.wording import say_to_all
from agents.domain.memory.tokens import TOKENS_PER_MESSAGE, message_texts
from agents.domain.tools.loop_detector import detector_after
from agents.engine.answer import Answer
from agents.engine.live_context import LiveContext
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.ports.model import ChatRequest, Done, ProviderError
from agents.engine.setup import TurnSetup
from agents.engine.step import Step, StepAnswer
from agents.engine.tool_runner import ToolRunner


async def run_turn(setup: TurnSetup, progress: Progress) -> TurnEnded:
    """Drives a turn from where `progress` stands and returns its last event.

    New parts follow those that the sink has. A fresh turn has neither calls nor parts.
    `CancelledError` goes through once the running tools are over; what the journal, the gate or
    the sink raise goes through too.
    """
    return await _Turn(setup, progress).run()


class _Turn:
    def __init__(self, setup: TurnSetup, progress: Progress) -> None:
        self._setup = setup
        self._messages = progress.messages
        self._open = progress.calls
        self._steps = progress.steps
        self._used = setup.told_tokens + progress.tokens
        self._ended_in_thought = False
        self._answer = Answer(setup.sink, setup.clock)
        self._runner = ToolRunner(setup, self._answer, detector_after(progress.messages))

    async def run(self) -> TurnEnded:
        try:
            reason = await self._until_reason()
            ended = TurnEnded(stop_reason=reason, error=self._emptiness(reason))
        except ProviderError as failure:
            ended = TurnEnded(error=failed(failure.code, failure.message, failure.details))
        await self._answer.tell(ended)
        return ended

    def _emptiness(self, reason: StopReason) -> MessageError | None:
        """Returns what people are told of an answer without a word, which looks like a fault."""
        if reason is not StopReason.END_TURN:
            return None
        if self._ended_in_thought:
            return failed("empty-answer", say_to_all(TURN, "thought-only", self._setup.language))
        if self._answer.says_something:
            return None
        return failed("empty-answer", say_to_all(TURN, "empty", self._setup.language))

    async def _until_reason(self) -> StopReason:
        await self._measure()
        while True:
            if self._open:
                await self._run_tools(self._open)
            if self._is_over():
                return StopReason.END_TURN
            if is_stopped(self._messages[-1]):
                return StopReason.STOPPED
            if self._steps >= self._setup.max_steps:
                return StopReason.MAX_TURN_REQUESTS
            reason = await self._ask_model()
            if reason is not None:
                return reason

    def _is_over(self) -> bool:
        """The answer was recorded, but the server died before it could say so."""
        return self._messages[-1].role == "assistant"

    async def _ask_model(self) -> StopReason | None:
        """Makes one step; returns why the turn ends, or None if it goes on with tools."""
        live = self._live()
        step = Step(self._setup, self._answer, self._messages, live, self._steps + 1)
        answer = await step.run(self._request())
        self._steps += 1
        self._ended_in_thought = answer.thought and not answer.message.content
        if answer.message.content:
            tokens = None if live is None else await live.message_tokens()
            await self._setup.journal.step_answered(answer.message, tuple(answer.calls), tokens)
            self._add(answer.message, tokens)
        self._open = tuple(answer.calls)
        await self._measure()
        return None if answer.calls else _reason(answer)

    async def _run_tools(self, calls: tuple[RecordedCall, ...]) -> None:
        results: ModelMessage = await self._runner.run(calls)
        tokens = await self._tokens(results)
        await self._setup.journal.results_joined(results, tokens)
        self._add(results, tokens)
        self._open = ()
        await self._measure()

    def _request(self) -> ChatRequest:
        specs = tuple(tool.spec for tool in self._setup.tools)
        return ChatRequest(self._setup.system, self._messages, specs, self._setup.max_tokens)

    def _add(self, message: ModelMessage, tokens: int | None) -> None:
        self._messages = (*self._messages, message)
        self._used += tokens or 0

    async def _tokens(self, message: ModelMessage) -> int | None:
        if self._setup.count is None:
            return None
        return TOKENS_PER_MESSAGE + await self._setup.count(message_texts(message))

    async def _measure(self) -> None:
        if self._setup.count is not None:
            await self._answer.tell(ContextMeasured(used=self._used))

    def _live(self) -> LiveContext | None:
        if self._setup.count is None:
            return None
        return LiveContext(self._used, self._setup.count, self._setup.clock.steady)


def _reason(answer: StepAnswer) -> StopReason:
    match answer.done:
        case Done(stop_reason="max_tokens"):
            return StopReason.MAX_TOKENS
        case Done(stop_reason="refusal"):
            return StopReason.REFUSAL
        case _:
            return StopReason.END_TURN
