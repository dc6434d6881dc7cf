"""ToolRun: one allowed call, from its start to its recorded result."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace

from agents.domain.content.model_messages import ToolResultBlock
from agents.domain.content.shorten import shorten
from agents.domain.content.storable import storable
from agents.domain.content.turn_texts import turn_text
from agents.domain.tools.loop_detector import LoopDetector
from agents.engine.answer import Answer
from agents.engine.cards import lock_key
from agents.engine.live_output import LiveOutput
from agents.engine.ports.journal import RecordedCall
from agents.engine.ports.tools import Tool, ToolContext, ToolFailure, ToolOutput
from agents.engine.setup import TurnSetup

SHOWN_OUTPUT = 30_000
MAX_PARALLEL_TOOLS = 8
logger = logging.getLogger(__name__)


class ToolRun:
    """Runs calls; the journal hears of each change before people do."""

    def __init__(self, setup: TurnSetup, answer: Answer, loops: LoopDetector) -> None:
        self._setup = setup
        self._answer = answer
        self._loops = loops
        self._places = _Places()

    async def run(self, recorded: RecordedCall, tool: Tool, note: str = "") -> ToolResultBlock:
        """Waits for its place, runs the call and returns its result; never raises for the tool.

        The model reads `note` before the result; people see the result alone.
        """
        live = LiveOutput(lambda text: self._show(recorded.part_index, text))
        context = self._setup.tool_context(recorded.call, live.add)
        try:
            async with self._places.take(lock_key(tool, recorded.call, context)):
                await self._setup.journal.call_started(recorded.call.id)
                started = self._setup.clock.now()
                await self._answer.update_tool(
                    recorded.part_index, status="in_progress", started_at=started
                )
                output = await self._watched(recorded, tool, context, live)
                return await self.finish(recorded, output, note)
        except asyncio.CancelledError:
            await self._show_cancelled(recorded)
            raise

    async def finish(
        self, recorded: RecordedCall, output: ToolOutput, note: str = "", *, was_tried: bool = True
    ) -> ToolResultBlock:
        """Records a result, then shows it; what came three times in a row says so (seed T).

        `was_tried`: the call was run, refused or could not be read; else it never came to it.
        """
        if was_tried:
            output = self._marked(recorded, output)
        result = ToolResultBlock(
            tool_use_id=recorded.call.id,
            content=storable(note + output.text),
            is_error=output.is_error or None,
        )
        await self._setup.journal.call_finished(recorded.call.id, result)
        await self.show(recorded, result, output)
        return result

    async def show(
        self, recorded: RecordedCall, result: ToolResultBlock, output: ToolOutput | None = None
    ) -> None:
        """Shows a recorded result: the end of the card, and the plan if there is one."""
        shown = result.content if output is None else storable(output.shown or output.text)
        changes: dict[str, object] = {
            "status": "failed" if result.is_error else "completed",
            "output": shorten(shown, SHOWN_OUTPUT, self._setup.language),
            "ended_at": self._setup.clock.now(),
        }
        if output is not None and output.exit_code is not None:
            changes["exit_code"] = output.exit_code
        if output is not None and output.diffs:
            changes["diffs"] = output.diffs
        if output is not None and output.locations:
            changes["locations"] = output.locations
        await self._answer.update_tool(recorded.part_index, **changes)
        if output is not None and output.plan is not None:
            await self._answer.show_plan(output.plan)

    async def _watched(
        self, recorded: RecordedCall, tool: Tool, context: ToolContext, live: LiveOutput
    ) -> ToolOutput:
        async with asyncio.TaskGroup() as group:
            group.create_task(live.run())
            output = await self._execute(recorded, tool, context)
            live.close()
        return output

    def _marked(self, recorded: RecordedCall, output: ToolOutput) -> ToolOutput:
        text = self._loops.checked(recorded.call, output.text, self._setup.language)
        shown = output.shown and output.shown + text.removeprefix(output.text)
        return replace(output, text=text, shown=shown)

    async def _execute(
        self, recorded: RecordedCall, tool: Tool, context: ToolContext
    ) -> ToolOutput:
        try:
            return await tool.execute(recorded.call.input, context)
        except ToolFailure as failure:
            return ToolOutput(str(failure), is_error=True)
        except Exception:
            logger.exception("the tool %s failed", recorded.call.name)
            text = turn_text("broken-tool", self._setup.language, name=recorded.call.name)
            return ToolOutput(text, is_error=True)

    async def _show(self, index: int, text: str) -> None:
        await self._answer.update_tool(index, output=text)

    async def _show_cancelled(self, recorded: RecordedCall) -> None:
        part = self._answer.tool_at(recorded.part_index)
        if part is None or part.status != "in_progress":
            return
        note = turn_text("cancelled", self._setup.language)
        output = f"{part.output.rstrip()}\n{note}" if part.output.strip() else note
        await self._answer.update_tool(
            recorded.part_index, status="failed", output=output, ended_at=self._setup.clock.now()
        )


class _Places:
    """Calls that share a key run in call order, `MAX_PARALLEL_TOOLS` at a time (seed M §6.3)."""

    def __init__(self) -> None:
        self._keys: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._places = asyncio.Semaphore(MAX_PARALLEL_TOOLS)

    @asynccontextmanager
    async def take(self, key: str | None) -> AsyncIterator[None]:
        """Waits for the key first, so that nobody holds one of the places while they wait."""
        async with nullcontext() if key is None else self._keys[key], self._places:
            yield
