"""TurnRun: one claimed turn, run to its last event whatever happens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from agents.domain.content.events import TurnEnded
from agents.domain.content.messages import MessageError, StopReason, failed
from agents.domain.content.model_messages import ToolResultBlock, ToolUseBlock
from agents.domain.content.turns import ClaimedTurn, OpenCall
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.ports.model import ProviderError
from agents.engine.ports.tools import TurnCounters
from agents.engine.turn import run_turn
from agents.runtime.answering.assemble import Workbench, assemble, open_workbench
from agents.runtime.answering.command_run import CommandRun
from agents.runtime.answering.compaction import TOO_LONG, CompactionFailed, Compactor
from agents.runtime.answering.context_meter import remeasure
from agents.runtime.answering.context_size import SizeSearch
from agents.runtime.answering.gate import PeopleGate, Waiters
from agents.runtime.answering.read_requests import read_request
from agents.runtime.answering.recorder import Recorder
from agents.runtime.tenure import Tenure
from agents.services.leases import LostTurn
from agents.services.turns import hosts, journal
from maia_web.lib import storage
from maia_web.lib.db import UNREACHABLE, in_db
from maia_web.lib.languages import said

logger = logging.getLogger(__name__)
StopCause = Literal["person", "host"]
Spawn = Callable[[Coroutine[Any, Any, None], str], None]


class TurnRun:
    """Runs a turn in the language of the person who started it."""

    def __init__(self, turn: ClaimedTurn, tenure: Tenure, waiters: Waiters, spawn: Spawn) -> None:
        self._turn = turn
        self._spawn = spawn
        self._ended_once = asyncio.Event()
        self._tenure = tenure
        self._recorder: Recorder | None = None
        self._waiters = waiters
        self._counters = TurnCounters()
        self._began = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._bench: Workbench | None = None
        self._stopped: StopCause | None = None
        self._over = False

    def stop(self, cause: StopCause) -> None:
        """Ends the turn soon. "person": cancelled for good; "host": it goes on elsewhere.

        The first cause counts: a second cancellation would break what ends the first one.
        """
        if self._stopped is None and not self._over:
            self._stopped = cause
            if self._task is not None:
                self._task.cancel()

    def renewed(self, asked: float) -> None:
        """The lease was renewed by a question asked at `asked` (monotonic seconds)."""
        self._tenure.renewed(asked)
        if self._recorder is not None:
            self._recorder.go_on()

    async def run(self) -> None:
        """Ends the turn in the database, unless another host has it or this process is closing."""
        self._task = asyncio.current_task()
        with translation.override(self._turn.starter_language or settings.LANGUAGE_CODE):
            try:
                await self._run()
            except LostTurn:
                logger.warning("turn %s was taken up by another host", self._turn.id)
            except UNREACHABLE as failure:
                logger.warning("turn %s waits for the database: %s", self._turn.id, failure)
            finally:
                self._ended_once.set()

    async def _run(self) -> None:
        recorder = self._recorder = Recorder(self._turn, self._tenure, self._context_size)
        saving = asyncio.create_task(recorder.keep_saving(), name=f"save-{self._turn.id}")
        try:
            ended = await self._ended(recorder)
        except asyncio.CancelledError:
            await self._release(recorder)
            raise
        finally:
            self._over = True
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
        await asyncio.shield(self._finish(recorder, ended))

    def _context_size(self) -> int:
        return self._bench.context_size() if self._bench is not None else 0

    async def _ended(self, recorder: Recorder) -> TurnEnded:
        """Returns how the turn ended; `CancelledError` goes through if it goes on elsewhere."""
        if self._turn.cancel_asked or self._stopped == "person":
            return TurnEnded(stop_reason=StopReason.CANCELLED)
        if self._stopped == "host":
            raise asyncio.CancelledError
        if self._turn.given_up:
            return TurnEnded(error=_given_up())
        try:
            bench = self._bench = await open_workbench(self._turn, self._counters)
            if not bench.context_size() and self._turn.kind != "command":
                self._spawn(self._find_size(bench), f"size-{self._turn.id}")
            return await WORK[self._turn.kind](self._turn, bench, recorder, self._waiters)
        except asyncio.CancelledError:
            if self._stopped != "person":
                raise
            return TurnEnded(stop_reason=StopReason.CANCELLED)
        except ProviderError as failure:
            return TurnEnded(error=failed(failure.code, failure.message, failure.details))
        except (LostTurn, *UNREACHABLE):
            raise  # without its journal it goes no further; a host takes it up once there is one
        except Exception as error:
            logger.exception("turn %s failed", self._turn.id)
            return TurnEnded(error=_failure(error))

    async def _find_size(self, bench: Workbench) -> None:
        """Looks while the turn runs; the model itself is asked only when it has time."""
        turn = self._turn
        search = SizeSearch(turn.channel, turn.agent, bench, turn.place.user)
        await search.look()
        await self._ended_once.wait()
        await search.ask(turn.starter_language or settings.LANGUAGE_CODE)

    async def _release(self, recorder: Recorder) -> None:
        """Leaves the turn, with all that has streamed, to the next host."""
        await recorder.close()
        await in_db(hosts.release_turn)(self._turn.lease, recorder.parts)

    async def _finish(self, recorder: Recorder, ended: TurnEnded) -> None:
        await recorder.close()
        counters = recorder.counters.model_copy(
            update={
                "commands": self._counters.commands,
                "file_ops": self._counters.file_ops,
                "skills": self._counters.skills,
                "seconds": round(time.monotonic() - self._began, 1),
            }
        )
        await in_db(hosts.end_turn)(
            self._turn.lease,
            parts=recorder.parts,
            counters=counters,
            stop_reason=ended.stop_reason,
            error=ended.error,
        )
        if ended.stop_reason is StopReason.CANCELLED and self._turn.kind == "answer":
            await remeasure(self._turn, self._turn.agent)  # the memory was rolled back (M §13.1)


async def _answer(
    turn: ClaimedTurn, bench: Workbench, recorder: Recorder, waiters: Waiters
) -> TurnEnded:
    turn = await read_request(turn, bench)
    gate = PeopleGate(turn, waiters, lambda: recorder.parts, bench.language)
    setup = await assemble(turn, bench, recorder, gate)
    if turn.session_model != setup.provider.model:
        await in_db(journal.save_model)(turn.lease, setup.provider.model)
    compactor = Compactor(bench, recorder)
    ready = await compactor.before_request(turn, setup)
    if ready is not turn:
        setup = await assemble(ready, bench, recorder, gate)
    ended = await run_turn(setup, _progress(ready), recorder.parts)
    if ended.error is None or ended.error.code != TOO_LONG:
        return ended
    try:
        again = await compactor.emergency(ready, setup)
    except CompactionFailed as failure:
        await compactor.say_failed(ready, failure)
        return ended
    setup = await assemble(again, bench, recorder, gate)
    return await run_turn(setup, _progress(again), recorder.parts)


async def _compact(
    turn: ClaimedTurn, bench: Workbench, recorder: Recorder, waiters: Waiters
) -> TurnEnded:
    gate = PeopleGate(turn, waiters, lambda: recorder.parts, bench.language)
    setup = await assemble(turn, bench, recorder, gate)
    return await Compactor(bench, recorder).whole_turn(turn, setup)


async def _command(
    turn: ClaimedTurn, bench: Workbench, recorder: Recorder, waiters: Waiters
) -> TurnEnded:
    return await CommandRun(turn, bench, recorder).run()


Work = Callable[[ClaimedTurn, Workbench, Recorder, Waiters], Awaitable[TurnEnded]]
WORK: dict[str, Work] = {"answer": _answer, "command": _command, "compact": _compact}
"""What each kind of turn does."""


def _progress(turn: ClaimedTurn) -> Progress:
    joined = turn.messages and turn.messages[-1].role == "user"
    calls = () if joined else tuple(_recorded(call) for call in turn.calls)
    return Progress(turn.messages, calls, turn.steps)


def _recorded(call: OpenCall) -> RecordedCall:
    result = ToolResultBlock.model_validate(call.result) if call.result else None
    return RecordedCall(
        call=ToolUseBlock(id=call.call_id, name=call.name, input=call.input),
        part_index=call.part_index,
        state=call.state,  # type: ignore[arg-type]  # the journal writes only these states
        result=result,
    )


def _failure(error: Exception) -> MessageError:
    known = storage.explain(error)
    if known is not None:
        return failed(known.code, said(lambda: (storage.explain(error) or known).message))
    words = said(
        lambda: _(
            "Something went wrong inside MAIA. Send your message again; if it happens again, "
            "an administrator finds the cause in the server's log."
        )
    )
    return failed("internal", words)


def _given_up() -> MessageError:
    words = said(
        lambda: _(
            "The server stopped several times during this answer. Continue when it is well again."
        )
    )
    return failed("interrupted", words)
