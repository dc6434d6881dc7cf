"""Tools side by side: limits, keys, order, live output, cancelling."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.domain.content.events import PartReplaced
from agents.domain.content.model_messages import user_text
from agents.domain.content.parts import ToolPart
from agents.engine.live_output import KEPT
from agents.engine.ports.permissions import Allowed, Decision
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.engine.turn import run_turn
from tests.fakes import Bench, FakeTool, ListJournal, ScriptedGate, ScriptedModel, calls, says
from tests.support.known import each, results


def bench(count: int, *tools: FakeTool, names: tuple[str, ...] = ()) -> Bench:
    uses = [(str(n), names[n] if names else tools[0].name, {"n": n}) for n in range(count)]
    model = ScriptedModel(calls(*uses), says("done"))
    return Bench(model, tools, ListJournal((user_text("go"),)))


async def finish(b: Bench) -> None:
    async with asyncio.timeout(60):
        await run_turn(b.setup, b.journal.progress())


async def test_at_most_eight_run_at_once_and_the_others_in_order() -> None:
    running, most, order = 0, 0, []
    gate_open = asyncio.Event()

    async def body(input: dict[str, Any], _: ToolContext) -> ToolOutput:
        nonlocal running, most
        running += 1
        order.append(input["n"])
        most = max(most, running)
        if running == 8:
            gate_open.set()
        await gate_open.wait()
        running -= 1
        return ToolOutput(str(input["n"]))

    b = bench(20, FakeTool("work", body))
    await finish(b)
    assert most == 8
    assert order == list(range(20))
    assert results(b.journal.messages[2]) == [str(n) for n in range(20)]


async def test_an_allowed_call_runs_while_the_next_is_asked() -> None:
    first_runs = asyncio.Event()

    async def body(input: dict[str, Any], _: ToolContext) -> ToolOutput:
        first_runs.set()
        return ToolOutput("ok")

    async def late() -> Decision:
        await first_runs.wait()
        return Allowed()

    b = bench(2, FakeTool("work", body))
    b.gate = ScriptedGate({"1": late})
    await finish(b)
    assert len(b.journal.messages[2].content) == 2


async def test_results_keep_call_order_whoever_ends_first() -> None:
    second_done = asyncio.Event()

    async def body(input: dict[str, Any], _: ToolContext) -> ToolOutput:
        if input["n"] == 0:
            await second_done.wait()
        second_done.set()
        return ToolOutput(str(input["n"]))

    b = bench(2, FakeTool("work", body))
    await finish(b)
    assert results(b.journal.messages[2]) == ["0", "1"]
    finished = [call for kind, call in b.journal.entries if kind == "finished"]
    assert finished == ["1", "0"]


async def test_calls_with_one_key_run_one_after_the_other_in_call_order() -> None:
    spans: list[tuple[str, int]] = []

    async def body(input: dict[str, Any], _: ToolContext) -> ToolOutput:
        spans.append(("start", input["n"]))
        for _turn in range(5 - input["n"]):
            await asyncio.sleep(0)
        spans.append(("end", input["n"]))
        return ToolOutput("")

    b = bench(4, FakeTool("work", body, key=lambda _: "file:a"))
    await finish(b)
    assert spans == [(what, n) for n in range(4) for what in ("start", "end")]


async def test_waiting_for_a_key_takes_no_place_from_others() -> None:
    others_ran = asyncio.Event()

    async def held(_: dict[str, Any], __: ToolContext) -> ToolOutput:
        await others_ran.wait()
        return ToolOutput("")

    async def free(_: dict[str, Any], __: ToolContext) -> ToolOutput:
        others_ran.set()
        return ToolOutput("")

    b = bench(
        10,
        FakeTool("held", held, key=lambda _: "same"),
        FakeTool("free", free),
        names=("held",) * 9 + ("free",),
    )
    await finish(b)


async def test_a_failure_does_not_cancel_the_others() -> None:
    failed = asyncio.Event()

    async def body(input: dict[str, Any], _: ToolContext) -> ToolOutput:
        if input["n"] == 1:
            failed.set()
            raise ToolFailure("no")
        await failed.wait()
        return ToolOutput("yes")

    b = bench(3, FakeTool("work", body))
    await finish(b)
    assert results(b.journal.messages[2]) == ["yes", "no", "yes"]


async def test_live_output_is_gathered_and_cut_to_its_end() -> None:
    def outputs() -> list[str]:
        parts = [event.part for event in b.sink.of(PartReplaced)]
        return [p.output for p in parts if isinstance(p, ToolPart) and p.status == "in_progress"]

    shown = asyncio.Event()

    async def body(_: dict[str, Any], context: ToolContext) -> ToolOutput:
        context.emit_output("first ")
        await shown.wait()
        for n in range(2_000):
            context.emit_output(f"line {n}\n")
            await asyncio.sleep(0)
        shown.clear()
        await shown.wait()
        return ToolOutput("all of it")

    b = bench(1, FakeTool("work", body))
    b.sink.watchers.append(lambda _: shown.set() if any(outputs()) else None)
    await finish(b)
    live = [text for text in outputs() if text]
    assert live[0] == "first "
    assert len(live) < 20
    assert live[-1].endswith("line 1999\n")
    assert len(live[-1]) == KEPT
    part = b.sink.parts[0]
    assert isinstance(part, ToolPart)
    assert part.output == "all of it"
    assert [e.part.rev for e in b.sink.of(PartReplaced)] == list(range(1, len(live) + 3))


async def test_people_see_at_most_30000_characters_the_model_sees_all() -> None:
    async def body(_: dict[str, Any], __: ToolContext) -> ToolOutput:
        return ToolOutput("x" * 50_000 + "[exit code: 1]")

    b = bench(1, FakeTool("work", body))
    await finish(b)
    part = b.sink.parts[0]
    assert isinstance(part, ToolPart)
    assert len(part.output) < 30_100
    assert part.output.endswith("[exit code: 1]")
    assert len(results(b.journal.messages[2])[0]) == 50_014


async def test_cancelling_ends_running_tools_and_leaves_no_task_behind() -> None:
    started, cleaned = asyncio.Event(), []

    async def body(input: dict[str, Any], context: ToolContext) -> ToolOutput:
        context.emit_output("so far")
        if input["n"] == 2:
            started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(input["n"])
        return ToolOutput("")

    b = bench(3, FakeTool("work", body))
    turn = asyncio.create_task(run_turn(b.setup, b.journal.progress()))
    async with asyncio.timeout(60):
        await started.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert sorted(cleaned) == [0, 1, 2]
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert [part.status for part in each(ToolPart, b.sink.parts)] == ["failed"] * 3
    assert all("Cancelled." in part.output for part in each(ToolPart, b.sink.parts))
    assert b.sink.events[-1].type == "part-replaced"
    assert not [entry for entry in b.journal.entries if entry[0] == "finished"]


async def test_cancelling_while_a_person_is_asked_leaves_the_card_pending() -> None:
    asked = asyncio.Event()

    async def never() -> Decision:
        asked.set()
        await asyncio.Event().wait()
        return Allowed()

    b = bench(2, FakeTool("work"))
    b.gate = ScriptedGate({"0": never})
    turn = asyncio.create_task(run_turn(b.setup, b.journal.progress()))
    async with asyncio.timeout(60):
        await asked.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert [part.status for part in each(ToolPart, b.sink.parts)] == ["pending", "pending"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelling_while_the_model_streams_closes_the_stream() -> None:
    b = bench(0, FakeTool("work"))
    turn = asyncio.create_task(run_turn(b.setup, b.journal.progress()))
    streaming = asyncio.Event()
    b.model.script = (says("a" * 10),)
    b.sink.watchers.append(lambda event: streaming.set())
    async with asyncio.timeout(60):
        await streaming.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert b.model.open_streams == 0


async def test_an_error_of_the_gate_ends_the_turn_with_that_very_error() -> None:
    class Lost(Exception):
        pass

    async def lost() -> Decision:
        raise Lost

    b = bench(2, FakeTool("work"))
    b.gate = ScriptedGate({"1": lost})
    with pytest.raises(Lost):
        await finish(b)
    assert asyncio.all_tasks() == {asyncio.current_task()}
