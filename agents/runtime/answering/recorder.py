"""Recorder: the sink and the journal of one turn; events become deltas and saved parts.

Text leaves at once. What is new is saved every 300 ms by one background writer, and with every
entry of the journal, so that a crash loses at most that much text and never a step.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from django.db import DatabaseError

from agents.delivery import publish
from agents.domain.content.cards import card
from agents.domain.content.events import (
    ContextMeasured,
    Notice,
    PartDelta,
    PartReplaced,
    PartStarted,
    TurnEnded,
    TurnEvent,
    UsageReported,
)
from agents.domain.content.growth import Growing, Unsaved
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.messages import Counters
from agents.domain.content.model_messages import ModelMessage, ToolResultBlock
from agents.domain.content.parts import Part, PlanPart, ThoughtPart, ToolPart
from agents.domain.content.transcript import offset_of
from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.journal import RecordedCall
from agents.protocol.frames import Frame, MessageDelta, NoticeGiven, Usage, UsageChanged
from agents.protocol.topics import channel_topic
from agents.runtime.tenure import Tenure
from agents.services.turns import journal, notices
from maia_web.lib.db import in_db

logger = logging.getLogger(__name__)
SAVE_EVERY = 0.3


class Recorder:
    """Owns the parts of one answer while its turn runs; whoever writes or reads it looks here."""

    def __init__(
        self,
        turn: ClaimedTurn,
        tenure: Tenure,
        context_size: Callable[[], int],
    ) -> None:
        self._turn = turn
        self._tenure = tenure
        self._unsaid: list[Frame] = []
        self._context_size = context_size
        self._publish = publish.streaming(channel_topic(turn.channel))
        self._live = LiveParts(turn.parts)
        self._growing = Growing(self._live)
        self._saving = asyncio.Lock()
        self._dirty = asyncio.Event()
        self._context_used: int | None = None
        self._saved_context: int | None = None
        self.counters = Counters()
        self.ended: TurnEnded | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts as they are now."""
        return self._live.parts

    @property
    def context_used(self) -> int | None:
        """Tokens in the agent's context, where they were measured."""
        return self._context_used

    # --- the sink ----------------------------------------------------------------------------

    async def emit(self, event: TurnEvent) -> None:
        """Folds an event and publishes it."""
        match event:
            case PartDelta(index=index, text=text):
                self._text(index, text)
            case PartStarted(index=index, part=part):
                self._live.start(index, part)
                self._growing.part(index)
                self._send_part(index, part)
            case PartReplaced(index=index, part=part):
                part = self._live.replace(index, part)
                self._growing.part(index)
                self._send_part(index, part)
            case UsageReported():
                self._count(event)
            case ContextMeasured(used=used):
                self._context_used = used
                self._tell_context(used)
            case Notice(kept=True):
                await in_db(notices.keep)(self._turn.lease, event)
            case Notice(code=code, message=message):
                self._send(NoticeGiven(channel=self._turn.channel, code=code, message=message))
            case TurnEnded():
                self.ended = event
        self._dirty.set()

    def _text(self, index: int, text: str) -> None:
        offset = self._live.append(index, text)
        self._growing.text(index, offset, text)
        thinks = self._live.kind(index) is ThoughtPart
        self._send(
            MessageDelta(
                channel=self._turn.channel,
                message_id=self._turn.answer,
                index=index,
                kind="thought" if thinks else "text",
                text=text,
                offset=offset,
                lease=self._turn.lease.number,
            )
        )

    def _send_part(self, index: int, part: Part) -> None:
        replaced: ToolPart | PlanPart | None = part if isinstance(part, PlanPart) else None
        if isinstance(part, ToolPart):
            replaced = card(part)
        text = None if replaced is not None else getattr(part, "text", "")
        self._send(
            MessageDelta(
                channel=self._turn.channel,
                message_id=self._turn.answer,
                index=index,
                kind=part.type,
                text=text,
                part=replaced,
                offset=offset_of(part) if replaced is not None else 0,
                seconds=part.seconds if isinstance(part, ThoughtPart) else None,
                lease=self._turn.lease.number,
            )
        )

    def _send(self, frame: Frame) -> None:
        if self._tenure.certain and not self._unsaid:
            self._publish(frame)
        else:
            self._unsaid.append(frame)

    def go_on(self) -> None:
        """The lease was renewed: says what waited until that was certain."""
        unsaid, self._unsaid = self._unsaid, []
        for frame in unsaid:
            self._send(frame)

    def _count(self, usage: UsageReported) -> None:
        counters = self.counters
        self.counters = counters.model_copy(
            update={
                "input_tokens": counters.input_tokens + usage.input_tokens,
                "output_tokens": counters.output_tokens + usage.output_tokens,
            }
        )

    # --- the journal -------------------------------------------------------------------------

    async def step_answered(
        self, message: ModelMessage, calls: tuple[RecordedCall, ...], tokens: int | None = None
    ) -> None:
        """Commits the model's answer and its calls."""
        new = tuple(
            journal.NewCall(
                one.call.id, one.call.name, one.call.input, one.part_index, one.unreadable
            )
            for one in calls
        )
        async with self.saving() as parts:
            await in_db(journal.record_step)(self._turn.lease, message, new, parts, tokens)

    async def call_started(self, call_id: str) -> None:
        """Commits that a call begins."""
        async with self.saving() as parts:
            await in_db(journal.start_call)(self._turn.lease, call_id, parts)

    async def call_finished(self, call_id: str, result: ToolResultBlock) -> None:
        """Commits a call's result."""
        async with self.saving() as parts:
            await in_db(journal.finish_call)(self._turn.lease, call_id, result, parts)

    async def results_joined(self, message: ModelMessage, tokens: int | None = None) -> None:
        """Commits the results of a step."""
        async with self.saving() as parts:
            await in_db(journal.join_results)(self._turn.lease, message, parts, tokens)

    # --- saving ------------------------------------------------------------------------------

    @asynccontextmanager
    async def saving(self) -> AsyncIterator[Unsaved]:
        """Gives what is to be saved; one after the other, and all of it after a failure.

        Whoever overtook one that fails would leave a hole in what is saved.
        """
        async with self._saving:
            try:
                yield self._growing.take()
            except BaseException:
                self._growing.failed()
                raise

    async def save(self) -> None:
        """Saves what is new, also of the context's size."""
        async with self.saving() as parts:
            used = self._context_used
            changed = used if used != self._saved_context else None
            await in_db(journal.save_progress)(self._turn.lease, parts, changed)
        self.context_saved(used)

    async def keep_saving(self) -> None:
        """Saves what changed, 300 ms after it did, until cancelled."""
        while True:
            await self._dirty.wait()
            await asyncio.sleep(SAVE_EVERY)
            self._dirty.clear()
            try:
                await self.save()
            except DatabaseError:
                logger.exception("an answer could not be saved; trying again")
                self._dirty.set()

    async def close(self) -> None:
        """Saves what the background writer has not yet saved of the context's size.

        For a turn that goes on elsewhere; the end of one saves it itself.
        """
        if self._context_used is not None:
            await in_db(journal.save_context_of)(self._turn.lease, self._context_used)
            self.context_saved(self._context_used)

    def context_saved(self, used: int | None) -> None:
        """Tells it again: whoever read the channel before it was saved has heard nothing of it."""
        if used is not None and used != self._saved_context:
            self._saved_context = used
            self._tell_context(used)

    def _tell_context(self, used: int) -> None:
        usage = Usage(used=used, size=self._context_size())
        self._send(UsageChanged(channel=self._turn.channel, agent=self._turn.agent, usage=usage))
