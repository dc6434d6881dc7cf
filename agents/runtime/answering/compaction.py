"""Compaction: the model summarises the conversation, and the summary begins the next (M §14)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from agents.domain.content.events import Notice, TurnEnded, kept_notice
from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.remembered import Memory
from agents.domain.content.storable import storable
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.compaction import (
    SUMMARY_TOKENS,
    is_full,
    shrink_texts,
    shrink_tool_results,
    summary_messages,
    summary_system,
)
from agents.domain.memory.tokens import TOKENS_PER_MESSAGE, message_texts, prompt_texts
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    LeftOut,
    ProviderError,
    TextDelta,
    TextWasThought,
)
from agents.engine.setup import TurnSetup
from agents.engine.step import closing
from agents.runtime.answering.assemble import Workbench, tell
from agents.runtime.answering.counting import count_memory, count_texts
from agents.runtime.answering.recorder import Recorder
from agents.services.turns import compaction
from agents.services.turns.compact_queue import AUTOMATIC
from agents.services.turns.compaction import Compacted
from maia_web.lib.db import in_db
from maia_web.lib.languages import translated

TOO_LONG = "context-too-long"


class CompactionFailed(Exception):
    """There is no summary; `why` says it in words. Nothing has changed."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts the session of one turn."""

    bench: Workbench
    recorder: Recorder

    async def whole_turn(self, turn: ClaimedTurn, setup: TurnSetup) -> TurnEnded:
        """The work of a turn of kind "compact"; a failure is said in the channel."""
        if not turn.messages and not turn.pending:
            return TurnEnded(stop_reason=StopReason.END_TURN)
        try:
            summary = await self._summary(setup, turn.messages, turn.pending)
        except CompactionFailed as failure:
            await self.say_failed(turn, failure)
        else:
            before = _used(setup, turn.memory) + await count_texts(turn.pending)
            made = Compacted(summary, before, 0, turn.argument == AUTOMATIC)
            await self._apply(turn, made, answers=False)
        return TurnEnded(stop_reason=StopReason.END_TURN)

    async def before_request(self, turn: ClaimedTurn, setup: TurnSetup) -> ClaimedTurn:
        """Compacts what was before the request if that fills the context (M §14.3)."""
        fresh = turn.steps == 0 and not turn.parts and not turn.calls
        used = _used(setup, turn.memory)
        if not fresh or not is_full(used, self.bench.context_size()):
            return turn
        before = await in_db(compaction.messages_before_request)(turn.lease)
        if not before:
            return turn
        await self._notice(_("The context is almost full: the conversation is being compacted."))
        try:
            summary = await self._summary(setup, before, ())
        except CompactionFailed as failure:
            await self.say_failed(turn, failure)
            return turn
        return await self._apply(turn, Compacted(summary, used, 0, automatic=True))

    async def emergency(self, turn: ClaimedTurn, setup: TurnSetup) -> ClaimedTurn:
        """Compacts in the middle of a turn the server refused (M §14.5).

        Raises `CompactionFailed`.
        """
        await self._notice(
            _("The model's server says the context is too long: the conversation is compacted.")
        )
        memory = await count_memory(await in_db(compaction.memory_now)(turn.lease))
        summary = await self._summary(setup, shrink_tool_results(memory.messages), ())
        made = Compacted(summary, _used(setup, memory), 0, automatic=True)
        return await self._apply(turn, made, emergency=True)

    async def say_failed(self, turn: ClaimedTurn, failure: CompactionFailed) -> None:
        """Warns in the channel."""
        await in_db(compaction.tell_failure)(turn.lease, failure.why)

    async def _apply(
        self,
        turn: ClaimedTurn,
        made: Compacted,
        *,
        answers: bool = True,
        emergency: bool = False,
    ) -> ClaimedTurn:
        """Begins the next session; `answers`: with the request that the turn then answers."""
        request: ModelMessage | None = None
        if answers:
            request = await in_db(compaction.request_again)(
                turn.lease,
                self.bench.language,
                emergency=emergency,
                size=self.bench.context_size(),
            )
        told = await tell(self.bench, made.summary)
        if told.shortened:
            await self._say_shortened(told.shortened)
        specs = tuple(tool.spec for tool in told.tools)
        after = await count_texts(prompt_texts(told.system, specs))
        if request is not None:
            after += TOKENS_PER_MESSAGE + await count_texts(message_texts(request))
        made = replace(made, after=after)
        next_turn: ClaimedTurn = await in_db(compaction.apply_compaction)(
            turn.lease, made, request, emergency=emergency
        )
        return next_turn

    async def _summary(
        self, setup: TurnSetup, messages: tuple[ModelMessage, ...], pending: tuple[str, ...]
    ) -> str:
        try:
            return await self._asked(setup, messages, pending)
        except ProviderError as failure:
            if failure.code != TOO_LONG:
                raise CompactionFailed(failure.message) from failure
        try:
            shrunk = shrink_texts(shrink_tool_results(messages), setup.language)
            return await self._asked(setup, shrunk, pending)
        except ProviderError as failure:
            raise CompactionFailed(failure.message) from failure

    async def _asked(
        self, setup: TurnSetup, messages: tuple[ModelMessage, ...], pending: tuple[str, ...]
    ) -> str:
        request = ChatRequest(
            system=summary_system(setup.system, setup.language),
            messages=summary_messages(messages, pending, setup.language),
            tools=tuple(tool.spec for tool in setup.tools),
            max_tokens=SUMMARY_TOKENS,
        )
        text, cut = "", False
        async with closing(setup.provider.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    text += event.text
                elif isinstance(event, TextWasThought):
                    text = ""
                elif isinstance(event, LeftOut):
                    await self.recorder.emit(kept_notice("left-out", event.message))
                elif isinstance(event, Done):
                    cut = event.cut or event.stop_reason == "max_tokens"
        if not text.strip():
            raise CompactionFailed(translated(lambda: _("The model gave no summary.")))
        if cut:
            words = translated(
                lambda: _("The summary may be incomplete: it reached its token limit.")
            )
            await self.recorder.emit(kept_notice("summary-cut", words))
        return storable(text.strip())

    async def _say_shortened(self, file: str) -> None:
        words = translated(
            lambda: (
                _("%(file)s is long: beside the summary, the agent reads its beginning and end.")
                % {"file": file}
            )
        )
        await self.recorder.emit(kept_notice("instructions-cut", words))

    async def _notice(self, message: str) -> None:
        await self.recorder.emit(Notice(code="compacting", message=message))


def _used(setup: TurnSetup, memory: Memory) -> int:
    return setup.told_tokens + memory.tokens
