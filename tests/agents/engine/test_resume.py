"""A server that dies anywhere: the turn goes on, no call runs twice, every call has a result."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import (
    ModelMessage,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
    user_text,
)
from agents.domain.content.parts import ToolPart
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.ports.permissions import Refused, StopAsked
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.engine.turn import run_turn
from tests.fakes import (
    Bench,
    Crash,
    FakeTool,
    ListJournal,
    ListSink,
    ScriptedGate,
    ScriptedModel,
    calls,
    says,
)
from tests.support.known import each, results

ASK = user_text("go")


def progress(*recorded: RecordedCall) -> Progress:
    message = ModelMessage(role="assistant", content=tuple(call.call for call in recorded))
    return Progress((ASK, message), recorded, 1)


def call(id: str, state: Any = "pending", result: str | None = None) -> RecordedCall:
    block = ToolResultBlock(tool_use_id=id, content=result) if result is not None else None
    return RecordedCall(ToolUseBlock(id=id, name="work"), int(id), state, block)


def resumed(tool: FakeTool, now: Progress) -> Bench:
    journal = ListJournal(now.messages)
    journal.calls, journal.steps = list(now.calls), now.steps
    return Bench(ScriptedModel(says("?"), says("done")), (tool,), journal)


async def test_finished_keep_their_result_started_are_not_run_again_pending_run() -> None:
    tool = FakeTool("work")
    now = progress(call("0", "finished", "before"), call("1", "in_progress"), call("2"))
    b = resumed(tool, now)
    b.sink = ListSink(
        tuple(
            ToolPart(id=str(n), name="work", status=status, rev=5)
            for n, status in enumerate(("completed", "in_progress", "pending"))
        )
    )
    last = await run_turn(b.setup, now)
    assert last.stop_reason is StopReason.END_TURN
    contents = results(b.journal.messages[2])
    assert contents[0] == "before"
    assert contents[1].startswith("Interrupted")
    assert contents[2] == "work ran"
    assert b.gate.asked == ["2"]
    assert len(tool.runs) == 1
    cards = each(ToolPart, b.sink.parts[:3])
    assert [part.status for part in cards] == ["completed", "failed", "completed"]
    assert cards[1].rev == 6
    assert len(b.sink.parts) == 4


async def test_cards_that_were_not_saved_are_shown_again() -> None:
    now = progress(call("0", "finished", "before"), call("1"))
    b = resumed(FakeTool("work"), now)
    await run_turn(b.setup, now)
    assert [part.type for part in b.sink.parts] == ["tool", "tool", "text"]
    cards = each(ToolPart, b.sink.parts[:2])
    assert [part.status for part in cards] == ["completed", "completed"]
    assert cards[0].output == "before"


async def test_an_answer_that_was_recorded_is_not_asked_for_again() -> None:
    b = resumed(FakeTool("work"), Progress((ASK, ModelMessage(role="assistant", content=()))))
    last = await run_turn(b.setup, b.journal.progress())
    assert last.stop_reason is StopReason.END_TURN
    assert b.model.requests == []


async def test_a_stop_that_was_recorded_still_stops() -> None:
    first = Bench(
        ScriptedModel(calls(("0", "work"), ("1", "work")), says("never")),
        (FakeTool("work"),),
        ListJournal((ASK,)),
        gate=ScriptedGate({"0": StopAsked()}),
    )
    first.journal.crash_after = 2
    with contextlib.suppress(Crash):
        await run_turn(first.setup, first.journal.progress())
    for _ in range(2):  # once in mid-step, once after everything is recorded
        last = await run_turn(first.setup, first.journal.progress())
        assert last.stop_reason is StopReason.STOPPED
    assert len(first.model.requests) == 1
    assert len(first.gate.asked) == 1


NAMES = st.sampled_from(["work", "fail", "refuse", "unknown", "keyed", "stop"])
SCRIPTS = st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=4)


def world(script: list[list[str]]) -> Bench:
    async def fails(_: dict[str, Any], __: ToolContext) -> ToolOutput:
        raise ToolFailure("failed")

    steps = [
        calls(*((f"{s}-{n}", name, {"at": f"{s}-{n}"}) for n, name in enumerate(step)))
        for s, step in enumerate(script)
    ]
    tools = (
        FakeTool("work"),
        FakeTool("fail", fails),
        FakeTool("refuse"),
        FakeTool("keyed", key=lambda _: "k"),
        FakeTool("stop"),
    )
    gate = ScriptedGate({"refuse": Refused("no"), "stop": StopAsked()})
    return Bench(ScriptedModel(*steps, says("done")), tools, ListJournal((ASK,)), gate=gate)


def paired(messages: list[ModelMessage]) -> bool:
    """Roles alternate, and each call has exactly one result, in call order."""
    roles = [message.role for message in messages]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2):
        return False
    return all(
        [use.id for use in tool_uses(asked)]
        == [result.tool_use_id for result in each(ToolResultBlock, answered.content)]
        for asked, answered in zip(messages[1::2], messages[2::2], strict=False)
    )


async def run_with_crashes(b: Bench, crashes: list[int], lost: list[int]) -> StopReason | None:
    for after, forgotten in zip(crashes, lost, strict=True):
        b.journal.crash_after = len(b.journal.entries) + after
        try:
            last = await run_turn(b.setup, b.journal.progress())
        except Crash:
            kept = b.sink.parts[: max(0, len(b.sink.parts) - forgotten)]
            b.sink = ListSink(kept)  # the last parts were not saved yet
        else:
            b.journal.crash_after = None
            return last.stop_reason
    b.journal.crash_after = None
    return (await run_turn(b.setup, b.journal.progress())).stop_reason


@settings(max_examples=150, deadline=None)
@given(
    script=SCRIPTS,
    crashes=st.lists(st.tuples(st.integers(1, 8), st.integers(0, 3)), max_size=6),
)
def test_whatever_crashes_no_call_runs_twice_and_each_has_one_result(
    script: list[list[str]], crashes: list[tuple[int, int]]
) -> None:
    b = world(script)

    async def go() -> StopReason | None:
        async with asyncio.timeout(10):
            return await run_with_crashes(b, [c for c, _ in crashes], [n for _, n in crashes])

    reason = asyncio.run(go())
    stops = any("stop" in step for step in script)
    assert reason is (StopReason.STOPPED if stops else StopReason.END_TURN)
    assert paired(b.journal.messages)
    assert len(tool_uses(b.journal.messages[-1])) == 0
    runs = [input["at"] for tool in each(FakeTool, b.tools) for input in tool.runs]
    assert len(runs) == len(set(runs))
    cards = [part for part in b.sink.parts if isinstance(part, ToolPart)]
    assert all(card.status in ("completed", "failed") for card in cards)
