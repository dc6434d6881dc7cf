"""The live context: told at most every 250 ms, never going back, never above the exact count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.events import ContextMeasured
from agents.domain.content.model_messages import ModelMessage, TextBlock, ToolUseBlock, user_text
from agents.domain.memory.tokens import count_context, count_message, count_text
from agents.engine.live_context import LiveContext
from agents.engine.ports.model import Done, TextDelta
from agents.engine.turn import run_turn
from tests.fakes import Bench, FakeClock, ListJournal, ScriptedModel

PROSE = st.text(alphabet=st.sampled_from("ab é9_.'\n\t¶日本ـ\u0301🙂/ "), max_size=60)


def told(pieces: list[str], step: float) -> list[int]:
    clock = FakeClock()
    live = LiveContext(100, count_text, clock.steady)
    found = []
    for piece in pieces:
        clock.seconds += step
        found.append(live.add(piece))
    return [used for used in found if used is not None]


@given(st.lists(PROSE | st.text(max_size=12), max_size=12))
def test_the_estimate_grows_and_stays_below_what_is_counted_at_the_end(pieces: list[str]) -> None:
    estimates = told(pieces, 1.0)
    message = ModelMessage(role="assistant", content=(TextBlock(text="".join(pieces)),))

    assert estimates == sorted(set(estimates))
    assert all(used <= 100 + count_message(message) for used in estimates)


@given(PROSE, PROSE)
def test_counting_up_to_a_complete_word_is_counting_the_whole(before: str, after: str) -> None:
    first, second = f"{before} word", f" more {after}"

    assert count_text(first) + count_text(second) == count_text(first + second)


def test_it_is_told_at_most_every_quarter_of_a_second() -> None:
    assert len(told(["word "] * 50, 0.1)) == 50 // 3


def test_a_tool_call_counts_as_it_will_in_the_session() -> None:
    clock = FakeClock()
    live = LiveContext(0, count_text, clock.steady)
    call = ToolUseBlock(id="a", name="Read", input={"path": "été.py"})
    clock.seconds = 1

    assert live.add_call(call) == count_message(ModelMessage(role="assistant", content=(call,)))


async def test_a_turn_tells_while_text_streams_and_the_exact_value_follows() -> None:
    words = tuple(TextDelta(f"word number {n} ") for n in range(8))
    b = Bench(
        ScriptedModel((*words, Done("end_turn"))),
        (),
        ListJournal((user_text("go"),)),
        count_tokens=lambda request: count_context("", request.messages),
        count_text=count_text,
    )
    b.sink.watchers.append(lambda _event: setattr(b.clock, "seconds", b.clock.seconds + 0.2))

    await run_turn(b.setup, b.journal.progress())

    used = [event.used for event in b.sink.of(ContextMeasured)]
    assert len(used) > 3
    assert used == sorted(used)
    assert used[-1] == count_context("", b.journal.messages)
