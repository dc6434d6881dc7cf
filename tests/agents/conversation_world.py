"""A conversation that anything may happen to, through the real services and the real recorder."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from agents.domain.content.events import (
    ContextMeasured,
    Notice,
    PartDelta,
    PartReplaced,
    PartStarted,
    TurnEvent,
)
from agents.domain.content.messages import Counters, MessageError, StopReason
from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agents.domain.content.parts import Part, PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.journal import RecordedCall
from agents.runtime.answering.recorder import Recorder
from agents.runtime.tenure import Tenure
from agents.selectors.permissions.policies import requests_waiting_for
from agents.services.channels import channels, messages
from agents.services.leases import LostTurn
from agents.services.permissions import answers as permissions
from agents.services.permissions import requests as permission_requests
from agents.services.permissions.answers import Given
from agents.services.turns import hosts, people
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError
from tests.cast import Cast
from tests.support.asked import asked, bash_part
from tests.support.listener import fresh_snapshot
from tests.support.local_host import local_host
from tests.support.typed import post_message

TEXTS = ("Hello ", "**wörld** ", "🙂", "👩‍👧 ", "\n```py\nx = 1\n", "", "é")
OPTIONS = ("allow_once", "deny", "stop")


@dataclass
class World:
    """One channel; at most one answer streams."""

    cast: Cast
    channel: str
    turn: ClaimedTurn | None = None
    recorder: Recorder | None = None
    frozen: Recorder | None = None
    hosts: int = 0
    calls: list[RecordedCall] = field(default_factory=list)
    asked: int = 0

    async def act(self, name: str, number: int) -> None:
        """Does one thing; what is not possible now does nothing."""
        with suppress(MaiaError, LostTurn):
            await ACTIONS[name](self, number)

    @property
    def host(self) -> str:
        return f"machine:{self.hosts}:x"

    def person(self, number: int) -> int:
        return (self.cast.alice, self.cast.bob)[number % 2].pk

    # --- people ------------------------------------------------------------------------------

    async def post(self, number: int) -> None:
        words = ("hi", "@maia look 🙂", "just talking")[number % 3]
        await in_db(post_message)(self.person(number), self.channel, words)

    async def post_here(self, number: int) -> None:
        """The same to a process that runs turns itself: what can begin has begun."""
        begun: list[ClaimedTurn] = []
        with local_host(self.host, begun.append):
            await self.post(number)
        for turn in begun:
            self._begin(turn)

    async def take_back(self, number: int) -> None:
        state = await in_db(fresh_snapshot)(self.cast.alice.pk, self.channel)
        waiting = [message for message in state.messages if message.queued and message.author]
        if waiting:
            one = waiting[number % len(waiting)]
            assert one.author is not None
            await in_db(messages.remove_queued)(one.author.id, self.channel, one.id)

    async def stop(self, number: int) -> None:
        await in_db(people.cancel_channel)(
            self.person(number), self.channel, keep_queued=number % 3 == 0
        )
        if self.recorder is not None:
            await self._end(StopReason.CANCELLED, None)

    async def answer(self, number: int) -> None:
        for request in await in_db(requests_waiting_for)(self.cast.alice.pk):
            if request.channel == self.channel:
                given = Given(OPTIONS[number % 3], instruction="no" if number % 2 else "")
                await in_db(permissions.answer_permission)(self.cast.alice.pk, request.id, given)

    async def rename(self, number: int) -> None:
        await in_db(channels.rename_channel)(
            self.cast.alice.pk, self.channel, f"{self.channel[-8:]} {number}"
        )

    async def clear(self, _number: int) -> None:
        await in_db(channels.clear_channel)(self.cast.alice.pk, self.channel)

    async def membership(self, number: int) -> None:
        change = channels.remove_member if number % 2 else channels.add_member
        await in_db(change)(self.cast.alice.pk, self.channel, "maia")

    async def resume(self, _number: int) -> None:
        state = await in_db(fresh_snapshot)(self.cast.alice.pk, self.channel)
        for message in reversed(state.messages):
            if message.role == "agent":
                await in_db(people.resume_turn)(self.cast.alice.pk, self.channel, message.id)
                return

    # --- the host ----------------------------------------------------------------------------

    async def claim(self, _number: int) -> None:
        if self.turn is None:
            self._begin(await in_db(hosts.claim_turn)(self.channel, self.host))

    async def crash(self, number: int) -> None:
        """The host dies, with or without its last words saved; another takes the turn up."""
        if self.turn is None or self.recorder is None:
            return
        await self.recorder.close()  # the next host measures the context anew, at its first request
        if number % 2:
            await self.recorder.save()
        elif number % 3 == 0:
            await in_db(hosts.release_turn)(self.turn.lease, self.recorder.parts)
        dead = frozenset({self.host})
        self.hosts += 1
        if number % 5 == 0:
            self.frozen = self.recorder  # it was only frozen, and will wake
        self._begin(await in_db(hosts.claim_turn)(self.channel, self.host, dead))

    async def wake(self, number: int) -> None:
        """A host that was frozen wakes and goes on as if nothing had been."""
        if self.frozen is None:
            return
        recorder = self.frozen
        if number % 8 != 4:  # the context's size is held back by its tenure alone
            await recorder.emit(_event(recorder, number))
        await recorder.save()
        with pytest.raises(LostTurn):
            await recorder.call_started("none")

    async def stream(self, number: int) -> None:
        """One more event of the answer."""
        recorder = self.recorder
        if recorder is None:
            return
        await recorder.emit(_event(recorder, number))

    async def save(self, _number: int) -> None:
        if self.turn is not None and self.recorder is not None:
            await self.recorder.save()

    async def step(self, _number: int) -> None:
        """The model asks for a tool."""
        if self.recorder is None or self.calls:
            return
        self.asked += 1
        id = f"call_{self.asked}"
        index = len(self.recorder.parts)
        part = bash_part(id)
        await self.recorder.emit(PartStarted(index=index, part=part))
        use = ToolUseBlock(id=id, name="Bash", input={"command": "make"})
        call = RecordedCall(call=use, part_index=index)
        said = ModelMessage(role="assistant", content=(TextBlock(text="so"), use))
        await self.recorder.step_answered(said, (call,))
        self.calls = [call]

    async def ask(self, _number: int) -> None:
        if self.turn is None or self.recorder is None or not self.calls:
            return
        call = self.calls[0]
        part = self.recorder.parts[call.part_index]
        assert isinstance(part, ToolPart)
        await in_db(permission_requests.open_request)(self.turn.lease, asked(call.call.id, part))

    async def run(self, _number: int) -> None:
        if self.recorder is not None and self.calls:
            await self.recorder.call_started(self.calls[0].call.id)
            await self._card("in_progress", "")

    async def result(self, _number: int) -> None:
        if self.recorder is None or not self.calls:
            return
        result = ToolResultBlock(tool_use_id=self.calls[0].call.id, content="made")
        await self.recorder.call_finished(result.tool_use_id, result)
        await self._card("completed", "made")
        await self.recorder.results_joined(ModelMessage(role="user", content=(result,)))
        self.calls = []

    async def end(self, number: int) -> None:
        if self.recorder is not None:
            error = MessageError(code="broken", message="It broke.") if number % 3 == 0 else None
            await self._end(None if error else StopReason.END_TURN, error)

    # --- pieces ------------------------------------------------------------------------------

    def _begin(self, turn: ClaimedTurn | None) -> None:
        self.turn, self.calls = turn, []
        tenure = Tenure(time.monotonic())
        self.recorder = Recorder(turn, tenure, lambda: 0) if turn else None

    async def _card(self, status: str, output: str) -> None:
        assert self.recorder is not None
        index = self.calls[0].part_index
        part = self.recorder.parts[index]
        changed = part.model_copy(update={"status": status, "output": output})
        await self.recorder.emit(PartReplaced(index=index, part=changed))

    async def _end(self, reason: StopReason | None, error: MessageError | None) -> None:
        assert self.turn is not None
        assert self.recorder is not None
        used = self.recorder.context_used
        try:
            await in_db(hosts.end_turn)(
                self.turn.lease,
                parts=self.recorder.parts,
                counters=Counters(commands=1),
                stop_reason=reason,
                error=error,
                used=used,
            )
            self.recorder.context_saved(used)
        finally:
            self._begin(None)


def _event(recorder: Recorder, number: int) -> TurnEvent:
    index, text = len(recorder.parts), TEXTS[number % len(TEXTS)]
    last = recorder.parts[-1] if recorder.parts else None
    changed = _changed(last, number, text)
    if changed is not None:
        return PartReplaced(index=index - 1, part=changed)
    other: dict[int, TurnEvent] = {
        0: PartStarted(index=index, part=ThoughtPart(text=text)),
        2: PartStarted(index=index, part=PlanPart(entries=(PlanEntry(content=text),))),
        4: ContextMeasured(used=number),
        5: Notice(code="retry", message=text),
    }
    if number % 8 in other:
        return other[number % 8]
    if isinstance(last, TextPart) and not last.interrupted:
        return PartDelta(index=index - 1, text=text)
    return PartStarted(index=index, part=TextPart(text=text))


def _changed(last: Part | None, number: int, text: str) -> Part | None:
    if number % 8 == 1 and isinstance(last, ThoughtPart) and last.seconds is None:
        return last.model_copy(update={"seconds": 1.5})
    if number % 8 == 3 and isinstance(last, PlanPart):
        entries = (*last.entries, PlanEntry(content=text, status="completed"))
        return PlanPart(entries=entries)
    return None


Action = Callable[[World, int], Awaitable[None]]
ACTIONS: dict[str, Action] = {
    "post": World.post,
    "post_here": World.post_here,
    "take_back": World.take_back,
    "stop": World.stop,
    "answer": World.answer,
    "rename": World.rename,
    "clear": World.clear,
    "membership": World.membership,
    "resume": World.resume,
    "claim": World.claim,
    "crash": World.crash,
    "wake": World.wake,
    "stream": World.stream,
    "save": World.save,
    "step": World.step,
    "ask": World.ask,
    "run": World.run,
    "result": World.result,
    "end": World.end,
}
#: The everyday things happen more often.
OFTEN = (
    "post",
    "post_here",
    "claim",
    "wake",
    "stream",
    "stream",
    "stream",
    "stream",
    "step",
    "ask",
    "run",
    "result",
)
NAMES = (*ACTIONS, *OFTEN, *OFTEN)
