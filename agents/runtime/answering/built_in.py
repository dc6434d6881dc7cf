"""The built-in agent: asks the model and runs its tools, and sums up what it has in mind."""

from __future__ import annotations

from django.conf import settings

from agents.domain.content.events import TurnEnded
from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import ToolResultBlock, ToolUseBlock
from agents.domain.content.turns import ClaimedTurn, OpenCall
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.turn import run_turn
from agents.runtime.answering.assemble import (
    Workbench,
    assemble,
    open_workbench,
)
from agents.runtime.answering.compaction import TOO_LONG, CompactionFailed, Compactor
from agents.runtime.answering.context_meter import remeasure
from agents.runtime.answering.context_size import SizeSearch, worth_a_look
from agents.runtime.answering.counting import counted
from agents.runtime.answering.gate import PeopleGate
from agents.runtime.answering.read_requests import read_request
from agents.runtime.answering.work import Work
from agents.services.turns import journal
from maia_web.lib.db import in_db


class _WithModel:
    """What asks the site's model, or a person's own."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._bench: Workbench | None = None

    def context_size(self) -> int:
        """Tokens that the model takes in; 0 as long as that is unknown."""
        return self._bench.context_size() if self._bench is not None else 0

    async def _open(self) -> tuple[Workbench, PeopleGate, Compactor]:
        work, recorder = self._work, self._work.recorder
        bench = self._bench = await open_workbench(work)
        if worth_a_look(bench):
            work.spawn(self._find_size(bench), f"size-{work.turn.id}")
        gate = PeopleGate(work.turn, work.waiters, recorder, bench.language)
        return bench, gate, Compactor(bench, recorder)

    async def _find_size(self, bench: Workbench) -> None:
        """Looks while the turn runs; the model itself is asked only when it has time."""
        turn = self._work.turn
        search = SizeSearch(turn.channel, turn.agent, bench, turn.place.user)
        await search.look()
        await self._work.over.wait()
        await search.ask(turn.starter_language or settings.LANGUAGE_CODE)


class BuiltInAgent(_WithModel):
    """Answers a message."""

    async def answer(self) -> TurnEnded:
        """Runs the loop; compacts before it, or once in its middle, where the context is full."""
        recorder = self._work.recorder
        bench, gate, compactor = await self._open()
        turn = await counted(await read_request(self._work.turn, bench), self._work.spawn)
        setup = await assemble(turn, bench, recorder, gate)
        ready = await compactor.before_request(turn, setup)
        if ready is not turn:
            ready = await counted(ready, self._work.spawn)
            setup = await assemble(ready, bench, recorder, gate)
        if turn.session_model != setup.provider.model:
            self._work.spawn(self._save_model(setup.provider.model), f"model-{turn.id}")
        self._work.under_way.set()  # from here on the model is asked before anybody else runs
        ended = await run_turn(setup, _progress(ready))
        if ended.error is None or ended.error.code != TOO_LONG:
            return ended
        try:
            again = await compactor.emergency(ready, setup)
        except CompactionFailed as failure:
            await compactor.say_failed(ready, failure)
            return ended
        again = await counted(again, self._work.spawn)
        setup = await assemble(again, bench, recorder, gate)
        return await run_turn(setup, _progress(again))

    async def _save_model(self, model: str) -> None:
        """Notes which model the session talks to, unless the turn is another host's by now."""
        await in_db(journal.save_model)(self._work.turn.lease, model)

    async def after(self, ended: TurnEnded) -> None:
        """Measures a memory that a person's stop has rolled back (M §13.1)."""
        if ended.stop_reason is StopReason.CANCELLED:
            await remeasure(self._work.turn, self._work.turn.agent)


class BuiltInCompaction(_WithModel):
    """Sums up the conversation so far, and begins the next session with that."""

    async def answer(self) -> TurnEnded:
        """Compacts; a failure is said in the channel and changes nothing."""
        turn = await counted(self._work.turn, self._work.spawn)
        bench, gate, compactor = await self._open()
        setup = await assemble(turn, bench, self._work.recorder, gate)
        return await compactor.whole_turn(turn, setup)

    async def after(self, ended: TurnEnded) -> None:
        """Nothing: the next session was measured when it began."""


def _progress(turn: ClaimedTurn) -> Progress:
    joined = turn.messages and turn.messages[-1].role == "user"
    calls = () if joined else tuple(_recorded(call) for call in turn.calls)
    return Progress(turn.messages, calls, turn.steps, turn.memory.tokens)


def _recorded(call: OpenCall) -> RecordedCall:
    result = ToolResultBlock.model_validate(call.result) if call.result else None
    return RecordedCall(
        call=ToolUseBlock(id=call.call_id, name=call.name, input=call.input),
        part_index=call.part_index,
        state=call.state,  # type: ignore[arg-type]  # the journal writes only these states
        result=result,
        unreadable=call.unreadable,
    )
