"""ToolRunner: the calls of one step, asked for one by one, run side by side (seed M §6.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from agents.domain.content.model_messages import ModelMessage, ToolResultBlock, ToolUseBlock
from agents.domain.content.turn_texts import is_stop, turn_text
from agents.domain.tools.loop_detector import LoopDetector
from agents.engine.answer import Answer
from agents.engine.cards import as_read, pending_part, preview
from agents.engine.ports.journal import RecordedCall
from agents.engine.ports.permissions import Allowed, Decision, Refused, StopAsked
from agents.engine.ports.tools import Tool, ToolFailure, ToolOutput
from agents.engine.setup import TurnSetup
from agents.engine.tool_run import ToolRun


@dataclass(frozen=True, slots=True)
class _Ready:
    """The call runs with `tool`, on the input that a person may have edited."""

    recorded: RecordedCall
    tool: Tool
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Failed:
    """The call does not run; `text` is its result. `was_tried`: it came to be decided upon."""

    text: str
    was_tried: bool = True


class ToolRunner:
    """Brings the open calls of a step to their results, always in call order."""

    def __init__(self, setup: TurnSetup, answer: Answer, loops: LoopDetector) -> None:
        self._setup = setup
        self._answer = answer
        self._tools = {tool.spec.name: tool for tool in setup.tools}
        self._run = ToolRun(setup, answer, loops)
        self._results: dict[int, ToolResultBlock] = {}
        self._stopped = False

    async def run(self, calls: Sequence[RecordedCall]) -> ModelMessage:
        """Returns the message with all results; what already finished is not run again.

        Raises what the gate, the journal or the sink raise; running tools are then cancelled.
        """
        self._results, self._stopped = {}, False
        try:
            async with asyncio.TaskGroup() as group:
                for place, recorded in enumerate(calls):
                    await self._take(place, recorded, group)
        except BaseExceptionGroup as failures:
            raise _first(failures) from failures
        results = tuple(self._results[place] for place in range(len(calls)))
        return ModelMessage(role="user", content=results)

    async def _take(self, place: int, recorded: RecordedCall, group: asyncio.TaskGroup) -> None:
        """Settles the call, or starts it and returns while it runs."""
        recorded = await self._shown(recorded)
        if recorded.result is not None:
            await self._keep(place, recorded, recorded.result)
            return
        settled = await self._authorise(recorded)
        if isinstance(settled, _Failed):
            output = ToolOutput(settled.text, is_error=True)
            self._results[place] = await self._run.finish(
                recorded, output, was_tried=settled.was_tried
            )
            return
        group.create_task(self._start(place, settled))

    async def _start(self, place: int, ready: _Ready) -> None:
        self._results[place] = await self._run.run(ready.recorded, ready.tool, ready.note)

    async def _authorise(self, recorded: RecordedCall) -> _Ready | _Failed:
        """Returns what runs if the call may run, else why not."""
        if self._stopped:
            return self._never("not-run")
        if recorded.state != "pending":
            return self._never("interrupted")
        tool = self._tools.get(recorded.call.name)
        if tool is None:
            return self._fail("unknown-tool", name=recorded.call.name)
        try:
            return await self._judged(recorded, tool)
        except ToolFailure as failure:
            return _Failed(str(failure))

    async def _judged(self, recorded: RecordedCall, tool: Tool) -> _Ready | _Failed:
        """Nobody is asked about a call that cannot be read; raises `ToolFailure`."""
        if recorded.unreadable:
            return self._fail("no-json", name=recorded.call.name, text=recorded.unreadable)
        call = as_read(tool, recorded.call, self._setup.language)
        if call != recorded.call:  # an earlier version of MAIA kept it as it was received
            await self._show_call(recorded.part_index, call)
        seen = await preview(tool, call, self._setup.tool_context(call, _ignore))
        if seen.diffs or seen.locations:
            await self._answer.update_tool(
                recorded.part_index, diffs=seen.diffs, locations=seen.locations
            )
        decision = await self._setup.gate.decide(call, recorded.part_index, seen, recorded.call)
        return await self._decided(replace(recorded, call=call), tool, decision)

    async def _decided(
        self, recorded: RecordedCall, tool: Tool, decision: Decision
    ) -> _Ready | _Failed:
        match decision:
            case Allowed(input=edited, note=note):
                note = self._first_of(recorded) + note
                if edited is None:
                    return _Ready(recorded, tool, note)
                return await self._edited(recorded, tool, edited, note)
            case Refused(text=text):
                return _Failed(text)
            case StopAsked():
                self._stopped = True
                return self._never("stop")
        assert_never(decision)

    async def _edited(
        self, recorded: RecordedCall, tool: Tool, input: dict[str, Any], note: str
    ) -> _Ready:
        """Shows on the card what will run instead of what the model asked for."""
        edited = recorded.call.model_copy(update={"input": input})
        call = as_read(tool, edited, self._setup.language)
        asked = pending_part(self._tools, recorded.call)
        await self._show_call(recorded.part_index, call, original=asked.input)
        return _Ready(replace(recorded, call=call), tool, note)

    async def _show_call(self, index: int, call: ToolUseBlock, **more: object) -> None:
        part = pending_part(self._tools, call)
        await self._answer.update_tool(index, title=part.title, input=part.input, **more)

    async def _keep(self, place: int, recorded: RecordedCall, result: ToolResultBlock) -> None:
        """Takes over a result of before; the card may not have heard of it yet."""
        self._results[place] = result
        self._stopped = self._stopped or is_stop(result)
        part = self._answer.tool_at(recorded.part_index)
        if part is not None and part.status not in ("completed", "failed"):
            await self._run.show(recorded, result)

    async def _shown(self, recorded: RecordedCall) -> RecordedCall:
        """Makes sure that the call has its card: the server may have died before it was saved."""
        index = self._answer.find_tool(recorded.part_index, recorded.call.id)
        if index is None:
            index = await self._answer.start_tool(pending_part(self._tools, recorded.call))
        return replace(recorded, part_index=index)

    def _first_of(self, recorded: RecordedCall) -> str:
        """Returns what the model is told where its arguments held more than one call."""
        if not recorded.more:
            return ""
        return turn_text("one-of-many", self._setup.language, count=recorded.more + 1)

    def _fail(self, key: str, **values: object) -> _Failed:
        return _Failed(turn_text(key, self._setup.language, **values))

    def _never(self, key: str) -> _Failed:
        return _Failed(turn_text(key, self._setup.language), was_tried=False)


def _ignore(_text: str) -> None:
    """A preview has no live output."""


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    found = failures.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
