"""A turn: what people see, what is recorded, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.domain.content.events import ContextMeasured, Notice, PartDelta, PartReplaced, TurnEnded
from agents.domain.content.messages import StopReason
from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    user_text,
)
from agents.domain.content.parts import PlanEntry, PlanPart, TextPart, ThoughtPart, ToolPart
from agents.domain.memory.tokens import count_context, count_message, message_texts
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.ports.model import (
    Done,
    ModelStopReason,
    ProviderError,
    Retrying,
    TextDelta,
    ThoughtDelta,
    ToolUse,
    UsageDelta,
)
from agents.engine.ports.permissions import Refused, StopAsked
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.engine.turn import run_turn
from tests.fakes import (
    Answer,
    Bench,
    FakeTool,
    ListJournal,
    ScriptedGate,
    ScriptedModel,
    calls,
    count_texts,
    says,
)
from tests.support.known import each, results

HELLO = (user_text("hello"),)


def bench(*script: Answer, tools: tuple[FakeTool, ...] = (), **more: Any) -> Bench:
    return Bench(ScriptedModel(*script), tools, ListJournal(HELLO), **more)


async def ended(b: Bench) -> TurnEnded:
    async with asyncio.timeout(60):
        return await run_turn(b.setup, b.journal.progress())


async def test_text_streams_delta_by_delta_and_the_turn_ends() -> None:
    b = bench((TextDelta("Hel"), TextDelta("lo"), UsageDelta(3, 2), Done("end_turn")))
    last = await ended(b)
    assert [event.text for event in b.sink.of(PartDelta)] == ["Hel", "lo"]
    assert b.sink.parts == (TextPart(text="Hello"),)
    assert last == b.sink.events[-1] == TurnEnded(stop_reason=StopReason.END_TURN)
    assert b.journal.entries == [("answered", "")]
    assert b.journal.messages[-1] == ModelMessage(
        role="assistant", content=(TextBlock(text="Hello"),)
    )


async def test_a_thought_is_apart_and_learns_its_length() -> None:
    b = bench((ThoughtDelta("hm"), TextDelta("yes"), Done("end_turn")))
    b.sink.watchers.append(lambda _: setattr(b.clock, "seconds", b.clock.seconds + 1.5))
    await ended(b)
    thought, text = b.sink.parts
    assert isinstance(thought, ThoughtPart)
    assert thought.text == "hm"
    assert thought.seconds == 1.5
    assert text == TextPart(text="yes")
    assert b.journal.messages[-1].content == (TextBlock(text="yes"),)


async def test_blank_text_makes_no_part_and_no_block_but_is_not_lost_before_text() -> None:
    b = bench(
        (TextDelta("\n"), TextDelta("\n"), ToolUse("a", "look", {}), Done("tool_use")),
        (TextDelta("\n"), TextDelta("done"), Done("end_turn")),
        tools=(FakeTool("look"),),
    )
    await ended(b)
    assert [part.type for part in b.sink.parts] == ["tool", "text"]
    assert b.sink.parts[1] == TextPart(text="\ndone")
    assert [block.type for block in b.journal.messages[1].content] == ["tool_use"]


async def test_an_empty_answer_is_not_recorded() -> None:
    b = bench((Done("end_turn"),))
    assert (await ended(b)).stop_reason is StopReason.END_TURN
    assert b.journal.messages == list(HELLO)


@pytest.mark.parametrize(
    "script",
    [
        ((Done("end_turn"),),),
        ((TextDelta(" \n"), Done("end_turn")),),
        ((ThoughtDelta("Hm."), Done("end_turn")),),
        (calls(("a", "look")), (Done("end_turn"),)),
    ],
)
async def test_an_answer_without_a_word_says_so(script: tuple[Answer, ...]) -> None:
    error = (await ended(bench(*script, tools=(FakeTool("look"),)))).error
    assert error is not None
    assert error.code == "empty-answer"
    assert set(error.words or {}) == {"en", "fr"}


@pytest.mark.parametrize(
    "script",
    [
        (says("done"),),
        ((TextDelta("I look."), *calls(("a", "look"))), (Done("end_turn"),)),
        ((Done("max_tokens"),),),
        ((Done("refusal"),),),
    ],
)
async def test_an_answer_with_a_word_or_a_reason_of_its_own_is_not_called_empty(
    script: tuple[Answer, ...],
) -> None:
    assert (await ended(bench(*script, tools=(FakeTool("look"),)))).error is None


async def test_a_call_goes_from_pending_to_completed_with_growing_revisions() -> None:
    b = bench(calls(("a", "look")), says("done"), tools=(FakeTool("look", kind="read"),))
    await ended(b)
    replaced = [event.part for event in b.sink.of(PartReplaced)]
    assert [(part.status, part.rev) for part in replaced] == [("in_progress", 1), ("completed", 2)]
    part = b.sink.parts[0]
    assert isinstance(part, ToolPart)
    assert (part.title, part.kind, part.output) == ("look!", "read", "look ran")
    assert part.started_at
    assert part.ended_at


async def test_the_journal_hears_before_people_do() -> None:
    b = bench(calls(("a", "look")), says("done"), tools=(FakeTool("look"),))
    order: list[str] = []
    b.sink.watchers.append(lambda event: order.append(f"{event.type}/{len(b.journal.entries)}"))
    await ended(b)
    assert order == [
        "part-started/0",  # the card, once the call is known
        "part-replaced/2",  # in progress, after answered and started
        "part-replaced/3",  # completed, after finished
        "part-started/4",  # text, after joined
        "part-delta/4",
        "turn-ended/5",
    ]


async def test_a_failure_in_words_and_an_unknown_error_are_results() -> None:
    async def refuses(_: object, __: ToolContext) -> ToolOutput:
        raise ToolFailure("no such file")

    async def breaks(_: object, __: ToolContext) -> ToolOutput:
        raise ZeroDivisionError("secret")

    b = bench(
        calls(("a", "bad"), ("b", "broken"), ("c", "nothing")),
        says("ok"),
        tools=(FakeTool("bad", refuses), FakeTool("broken", breaks)),
    )
    await ended(b)
    told = each(ToolResultBlock, b.journal.messages[2].content)
    assert [result.is_error for result in told] == [True, True, True]
    assert told[0].content == "no such file"
    assert "internal error" in told[1].content
    assert "secret" not in told[1].content
    assert told[2].content == "Unknown tool: nothing"
    assert [part.status for part in each(ToolPart, b.sink.parts[:3])] == ["failed"] * 3


async def test_what_the_model_reads_is_in_the_sites_language() -> None:
    b = bench(calls(("a", "nothing")), says("ok"), language="fr")
    await ended(b)
    assert results(b.journal.messages[2])[0] == "Outil inconnu : nothing"


async def test_a_refusal_is_a_result_and_the_turn_goes_on() -> None:
    b = bench(
        calls(("a", "look")),
        says("ok"),
        tools=(FakeTool("look"),),
        gate=ScriptedGate({"look": Refused("The user refused this action.")}),
    )
    assert (await ended(b)).stop_reason is StopReason.END_TURN
    assert results(b.journal.messages[2])[0] == "The user refused this action."
    assert ("started", "a") not in b.journal.entries


async def test_stop_ends_the_turn_without_calling_the_model_again() -> None:
    tool = FakeTool("look")
    b = bench(
        calls(("a", "look"), ("b", "look"), ("c", "look")),
        says("never"),
        tools=(tool,),
        gate=ScriptedGate({"b": StopAsked()}),
    )
    assert (await ended(b)).stop_reason is StopReason.STOPPED
    assert len(b.model.requests) == 1
    assert b.gate.asked == ["a", "b"]
    contents = results(b.journal.messages[-1])
    assert contents[0] == "look ran"
    assert "stopped here" in contents[1]
    assert "Not run" in contents[2]
    assert len(tool.runs) == 1
    assert b.journal.entries[-1] == ("joined", "")


async def test_a_word_after_a_stop_lets_the_model_answer() -> None:
    b = bench(calls(("a", "look")), says("fine"), tools=(FakeTool("look"),))
    b.gate.answers["a"] = StopAsked()
    await ended(b)
    last = b.journal.messages[-1]
    b.journal.messages[-1] = last.model_copy(
        update={"content": (*last.content, TextBlock(text="go on"))}
    )
    assert (await ended(b)).stop_reason is StopReason.END_TURN
    assert b.sink.parts[-1] == TextPart(text="fine")


async def test_the_step_limit_ends_the_turn_after_its_results() -> None:
    b = bench(calls(("a", "look")), tools=(FakeTool("look"),), max_steps=3)
    assert (await ended(b)).stop_reason is StopReason.MAX_TURN_REQUESTS
    assert len(b.model.requests) == 3
    assert b.journal.messages[-1].role == "user"


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("max_tokens", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
        ("other", StopReason.END_TURN),
    ],
)
async def test_the_models_reason_becomes_the_turns(
    reason: ModelStopReason, expected: StopReason
) -> None:
    b = bench((TextDelta("x"), Done(reason)))
    assert (await ended(b)).stop_reason is expected
    assert [notice.code for notice in b.sink.of(Notice)] == (
        ["cut"] if reason == "max_tokens" else []
    )


async def test_a_provider_error_ends_the_turn_with_its_code_and_keeps_the_text() -> None:
    b = bench((TextDelta("half"), ProviderError("stream-error", "Try again.", "detail")))
    last = await ended(b)
    assert last.error is not None
    assert (last.error.code, last.error.message) == ("stream-error", "Try again.")
    assert b.sink.parts == (TextPart(text="half"),)
    assert b.journal.entries == []
    assert b.model.open_streams == 0


async def test_a_stream_without_an_end_is_an_error() -> None:
    last = await ended(bench((TextDelta("half"),)))
    assert last.error is not None
    assert last.error.code == "cut-off"


async def test_retries_are_told() -> None:
    b = bench((Retrying(1, 2.0, "HTTP 429"), TextDelta("x"), Done("end_turn")))
    await ended(b)
    (notice,) = b.sink.of(Notice)
    assert notice.code == "retry"
    assert "HTTP 429" in notice.message


async def test_ids_that_servers_repeat_are_made_unique() -> None:
    tool = FakeTool("look")
    b = bench(
        calls(("call_0", "look"), ("call_0", "look")),
        calls(("call_0", "look"), ("", "look")),
        says("ok"),
        tools=(tool,),
    )
    await ended(b)
    ids = [
        block.id
        for message in b.journal.messages
        for block in message.content
        if block.type == "tool_use"
    ]
    assert len(set(ids)) == 4
    assert b.gate.asked == ids


async def test_a_plan_is_one_part_that_changes() -> None:
    entries = [(PlanEntry(content="one"),), (PlanEntry(content="one", status="completed"),)]

    async def plan(_: object, __: ToolContext) -> ToolOutput:
        return ToolOutput("ok", plan=entries.pop(0))

    b = bench(
        calls(("a", "plan")), calls(("b", "plan")), says("ok"), tools=(FakeTool("plan", plan),)
    )
    await ended(b)
    (part,) = [part for part in b.sink.parts if isinstance(part, PlanPart)]
    assert part.entries[0].status == "completed"
    assert part.rev == 1


async def test_the_context_is_measured_before_after_and_with_results() -> None:
    b = bench(
        calls(("a", "look")),
        says("ok"),
        tools=(FakeTool("look"),),
        count=count_texts,
    )
    progress = replace(b.journal.progress(), tokens=count_context("", b.journal.messages))
    await run_turn(replace(b.setup, told_tokens=100), progress)

    told = b.journal.messages
    wanted = [100 + count_context("", told[:size]) for size in range(1, len(told) + 1)]
    assert [event.used for event in b.sink.of(ContextMeasured)] == wanted
    assert b.journal.tokens == list(map(count_message, told[1:]))


async def test_each_text_is_counted_once() -> None:
    texts: list[str] = []

    async def count(some: Sequence[str]) -> int:
        texts.extend(some)
        return sum(map(len, some))

    b = bench(
        calls(("a", "look")),
        (TextDelta("one two three "), TextDelta("four five"), Done("end_turn")),
        tools=(FakeTool("look"),),
        count=count,
    )
    b.sink.watchers.append(lambda _event: setattr(b.clock, "seconds", b.clock.seconds + 0.2))
    await ended(b)

    wanted = [text for message in b.journal.messages[1:] for text in message_texts(message)]
    assert "".join(texts) == "".join(wanted)


async def test_three_equal_calls_in_a_row_carry_a_warning() -> None:
    b = bench(
        calls(("a", "look")),
        calls(("b", "look")),
        calls(("c", "look")),
        says("ok"),
        tools=(FakeTool("look"),),
    )
    await ended(b)
    told = [results(b.journal.messages[n])[0] for n in (2, 4, 6)]
    assert ["[LOOP_DETECTED: " in result for result in told] == [False, False, True]


async def test_the_preview_reaches_the_card_and_the_gate_before_it_is_asked() -> None:
    from agents.domain.content.parts import Diff

    seen = ToolOutput("", diffs=(Diff(path="a", new_text="b"),))
    tool = FakeTool("look", seen=lambda _: seen)
    b = bench(calls(("a", "look")), says("ok"), tools=(tool,))
    await ended(b)
    assert b.gate.previews == [seen]
    first = b.sink.of(PartReplaced)[0].part
    assert (first.status, first.diffs) == ("pending", seen.diffs)


async def test_a_preview_or_key_or_title_that_breaks_does_not_end_the_turn() -> None:
    def breaks(_: object) -> ToolOutput:
        raise ZeroDivisionError

    tool = FakeTool("look", seen=breaks, key=breaks)  # type: ignore[arg-type]  # it never returns
    tool.title = breaks  # type: ignore[method-assign,assignment]  # it never returns
    b = bench(calls(("a", "look")), says("ok"), tools=(tool,))
    assert (await ended(b)).stop_reason is StopReason.END_TURN
    assert b.gate.previews == [ToolOutput("")]
    assert len(tool.runs) == 1


async def test_what_no_database_keeps_is_replaced_everywhere() -> None:
    async def dirty(_: object, context: ToolContext) -> ToolOutput:
        return ToolOutput("a\0b\ud800")

    tool = FakeTool("dirty", dirty)
    b = bench(
        (
            TextDelta("x\0"),
            ThoughtDelta("\udfff!"),
            ToolUse("i\0", "dirty", {"k\0": ["\0", {"z": "\ud800"}], "n": 1}),
            Done("tool_use"),
        ),
        says("ok"),
        tools=(tool,),
    )
    await ended(b)
    assert tool.runs == [{"k\ufffd": ["\ufffd", {"z": "\ufffd"}], "n": 1}]
    assert results(b.journal.messages[2])[0] == "a\ufffdb\ufffd"
    stored = "".join(part.model_dump_json() for part in b.sink.parts)
    assert "\\u0000" not in stored
    stored.encode()


async def test_a_call_marked_finished_without_a_result_is_not_run_again() -> None:
    tool = FakeTool("look")
    b = bench(says("?"), says("ok"), tools=(tool,))
    call = ToolUseBlock(id="a", name="look")
    asked = ModelMessage(role="assistant", content=(call,))
    open_calls = (RecordedCall(call, 0, "finished", None),)
    b.journal.messages.append(asked)
    now = Progress(tuple(b.journal.messages), open_calls, 1)
    b.journal.calls = [RecordedCall(call, 0)]
    async with asyncio.timeout(60):
        await run_turn(b.setup, now)
    assert tool.runs == []
    assert results(b.journal.messages[2])[0].startswith("Interrupted")


async def test_a_thought_that_an_error_cuts_short_still_learns_its_length() -> None:
    b = bench((ThoughtDelta("hm"), ProviderError("stream-error", "Try again.")))
    await ended(b)
    (thought,) = b.sink.parts
    assert isinstance(thought, ThoughtPart)
    assert (thought.text, thought.seconds) == ("hm", 0.0)


@pytest.mark.parametrize(
    ("steps", "tools"),
    [
        ([calls((n, "nothing")) for n in "abc"], ()),
        ([calls((n, "look")) for n in "abc"], (FakeTool("look"),)),
    ],
    ids=["unknown", "refused"],
)
async def test_what_is_refused_or_unknown_three_times_in_a_row_says_so_too(
    steps: list[Answer], tools: tuple[FakeTool, ...]
) -> None:
    gate = ScriptedGate({call: Refused("no") for call in "abc"})
    b = bench(*steps, says("ok"), tools=tools, gate=gate)
    await ended(b)
    told = [results(b.journal.messages[n])[0] for n in (2, 4, 6)]
    assert ["[LOOP_DETECTED: " in result for result in told] == [False, False, True]
    cards = [part for part in b.sink.parts if isinstance(part, ToolPart)]
    assert ["[LOOP_DETECTED: " in card.output for card in cards] == [False, False, True]


async def test_what_never_came_to_be_tried_is_no_loop() -> None:
    asked = calls(*((n, "look") for n in "abcd"))
    b = bench(asked, says("ok"), tools=(FakeTool("look"),), gate=ScriptedGate({"a": StopAsked()}))
    await ended(b)
    assert not any("[LOOP_DETECTED: " in result for result in results(b.journal.messages[2]))


async def test_the_cards_of_one_step_say_which_it_was() -> None:
    asked = [calls(("a", "look"), ("b", "look")), calls(("c", "look"))]
    b = bench(*asked, says("ok"), tools=(FakeTool("look"),))
    await ended(b)
    assert [part.step for part in b.sink.parts if isinstance(part, ToolPart)] == [1, 1, 2]
