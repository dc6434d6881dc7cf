"""The live context: told at most every 250 ms, never going back, never above the exact count."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.events import ContextMeasured
from agents.domain.content.model_messages import ModelMessage, TextBlock, ToolUseBlock, user_text
from agents.domain.memory.tokens import count_context, count_message, count_text
from agents.engine.live_context import LiveContext
from agents.engine.ports.model import Done, TextDelta
from agents.engine.turn import run_turn
from tests.fakes import Bench, FakeClock, ListJournal, ScriptedModel, count_texts

PROSE = st.text(alphabet=st.sampled_from("ab é9_.'\n\t¶日本ـ\u0301🙂/ "), max_size=60)


async def streamed(pieces: list[str], step: float) -> tuple[list[int], int]:
    """What was told meanwhile, and the tokens of the whole message."""
    clock = FakeClock()
    live = LiveContext(100, count_texts, clock.steady)
    found = []
    for piece in pieces:
        clock.seconds += step
        found.append(await live.add(piece))
    return [used for used in found if used is not None], await live.message_tokens()


@given(st.lists(PROSE | st.text(max_size=12), max_size=12))
async def test_the_estimate_grows_up_to_what_counting_the_whole_gives(pieces: list[str]) -> None:
    estimates, tokens = await streamed(pieces, 1.0)
    text = "".join(pieces)
    blocks = (TextBlock(text=text),) if text.strip() else ()

    assert tokens == count_message(ModelMessage(role="assistant", content=blocks))
    assert estimates == sorted(set(estimates))
    assert all(used <= 100 + tokens for used in estimates)


@given(PROSE, PROSE)
def test_counting_up_to_a_complete_word_is_counting_the_whole(before: str, after: str) -> None:
    first, second = f"{before} word", f" more {after}"

    assert count_text(first) + count_text(second) == count_text(first + second)


async def test_it_is_told_at_most_every_quarter_of_a_second() -> None:
    estimates, _tokens = await streamed(["word "] * 50, 0.1)
    assert len(estimates) == 50 // 3


async def test_a_tool_call_counts_as_it_will_in_the_session() -> None:
    clock = FakeClock()
    live = LiveContext(0, count_texts, clock.steady)
    call = ToolUseBlock(id="a", name="Read", input={"path": "été.py"})
    clock.seconds = 1
    tokens = count_message(ModelMessage(role="assistant", content=(call,)))

    assert await live.add_call(call) == tokens
    assert await live.message_tokens() == tokens


async def test_what_turns_out_to_be_a_thought_is_no_part_of_the_message() -> None:
    clock = FakeClock()
    live = LiveContext(0, count_texts, clock.steady)
    clock.seconds = 1
    await live.add("a long thought of many words ")
    live.forget_text()
    await live.add("yes")

    assert await live.message_tokens() == count_message(user_text("yes"))


async def test_a_turn_tells_while_text_streams_and_the_exact_value_follows() -> None:
    words = tuple(TextDelta(f"word number {n} ") for n in range(8))
    b = Bench(
        ScriptedModel((*words, Done("end_turn"))),
        (),
        ListJournal((user_text("go"),)),
        count=count_texts,
    )
    b.sink.watchers.append(lambda _event: setattr(b.clock, "seconds", b.clock.seconds + 0.2))

    progress = replace(b.journal.progress(), tokens=count_context("", b.journal.messages))
    await run_turn(b.setup, progress)

    used = [event.used for event in b.sink.of(ContextMeasured)]
    assert len(used) > 3
    assert used == sorted(used)
    assert used[-1] == count_context("", b.journal.messages)
