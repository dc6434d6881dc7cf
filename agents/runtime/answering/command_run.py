"""CommandRun: a person's `!command`, run in their sandbox, live for everybody (seed M §11.2)."""

from __future__ import annotations

import asyncio

from django.conf import settings
from django.utils import translation

from agents.domain.content.events import TurnEnded
from agents.domain.content.messages import StopReason
from agents.domain.content.parts import ToolPart
from agents.domain.content.storable import storable
from agents.domain.typed.user_commands import (
    CAPTURED,
    PREVIEW,
    TIME_LIMIT,
    context_text,
    heard_result,
    interrupted,
    shown_result,
    succeeded,
)
from agents.engine.answer import Answer
from agents.engine.clock import SystemClock
from agents.engine.live_output import LiveOutput
from agents.runtime.answering.context_meter import remeasure
from agents.runtime.answering.work import Work
from agents.services.typed import user_commands
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError
from workspaces.domain.commands import CommandResult, Run
from workspaces.sandboxes.base import open_sandbox

ENDED = TurnEnded(stop_reason=StopReason.END_TURN)


class CommandRun:
    """One command, whose card is the last part of its message."""

    def __init__(self, work: Work) -> None:
        turn = self._turn = work.turn
        self._recorder = work.recorder
        self._language = settings.LANGUAGE_CODE  # everybody, and every agent, reads of it
        self._clock = SystemClock()
        self._answer = Answer(work.recorder, self._clock)
        self._index = len(turn.parts) - 1
        self._heard: list[str] = []

    def context_size(self) -> int:
        """No model answers."""
        return 0

    async def answer(self) -> TurnEnded:
        """Runs the command, unless it began before: then it was interrupted, and stays so."""
        card = self._answer.tool_at(self._index)
        if card is None or self._turn.steps:  # its result is recorded already
            return ENDED
        if card.status != "pending":
            await self._give_up(card)
            return ENDED
        try:
            with translation.override(self._language):
                await self._start()
        except MaiaError as refused:
            await self._show("failed", refused.message)
            return ENDED
        await self._finish(await self._result())
        return ENDED

    async def after(self, ended: TurnEnded) -> None:
        """Nothing: who heard of it was measured when it was recorded."""

    async def _start(self) -> None:
        await self._answer.update_tool(
            self._index, status="in_progress", started_at=self._clock.now()
        )
        async with self._recorder.saving() as parts:
            await in_db(user_commands.start_command)(self._turn.lease, parts)

    async def _result(self) -> CommandResult:
        """Runs to the end; a command that was stopped is recorded before the stop goes on."""
        sandbox = open_sandbox(self._turn.place, own=True)
        live = LiveOutput(lambda text: self._answer.update_tool(self._index, output=text))
        argv = ("bash", "-c", self._turn.argument)
        command = Run(argv, timeout=TIME_LIMIT, max_output=CAPTURED)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(live.run())
                result = await sandbox.run(command, lambda text: self._hear(text, live))
                live.close()
        except asyncio.CancelledError:
            await self._finish(CommandResult("".join(self._heard), "cancelled"))
            raise
        return result

    def _hear(self, text: str, live: LiveOutput) -> None:
        self._heard.append(text)
        live.add(text)

    async def _finish(self, result: CommandResult) -> None:
        status = "completed" if succeeded(result) else "failed"
        shown = shown_result(result, self._language, PREVIEW)
        code = result.exit_code if result.status == "exited" else None
        await self._show(status, shown, code)
        await self._record(await asyncio.to_thread(heard_result, result, self._language))

    async def _give_up(self, card: ToolPart) -> None:
        await self._show("failed", interrupted(card.output, self._language))
        await self._record(interrupted(card.output, self._language))

    async def _show(self, status: str, output: str, exit_code: int | None = None) -> None:
        await self._answer.update_tool(
            self._index,
            status=status,
            output=storable(output),
            ended_at=self._clock.now(),
            exit_code=exit_code,
        )

    async def _record(self, result: str) -> None:
        """Commits the card and what the agents hear of it, both or nothing; moves their bars."""
        context = storable(context_text(self._turn.argument, result, self._language))
        async with self._recorder.saving() as parts:
            hearing = await in_db(user_commands.finish_command)(self._turn.lease, context, parts)
        for agent in hearing:
            await remeasure(self._turn, agent)
