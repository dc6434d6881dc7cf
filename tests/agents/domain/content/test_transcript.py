"""Transcript: events fold into parts in one way only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.events import PartDelta, PartReplaced, PartStarted
from agents.domain.content.parts import Part, PlanPart, TextPart, ThoughtPart, ToolPart
from agents.domain.content.transcript import OutOfOrder, apply, offset_of, settle

Event = PartStarted | PartDelta | PartReplaced
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, text=st.text(max_size=5)),
    st.builds(ThoughtPart, text=st.text(max_size=5)),
    st.builds(ToolPart, id=st.just("x"), name=st.just("t"), rev=st.integers(0, 9)),
    st.builds(PlanPart, rev=st.integers(0, 9)),
)
INDEX = st.integers(-1, 4)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(PartStarted, index=INDEX, part=PARTS),
    st.builds(PartDelta, index=INDEX, text=st.text(max_size=5)),
    st.builds(PartReplaced, index=INDEX, part=PARTS),
)


def test_a_streamed_part_grows() -> None:
    parts = apply((), PartStarted(index=0, part=TextPart()))
    for piece in ("é", "😀", "!"):
        parts = apply(parts, PartDelta(index=0, text=piece))
    assert parts == (TextPart(text="é😀!"),)
    assert offset_of(parts[0]) == 4  # the emoji counts two in UTF-16


@given(st.lists(EVENTS, max_size=12))
def test_an_event_fits_or_changes_nothing(events: list[Event]) -> None:
    parts: tuple[Part, ...] = ()
    for event in events:
        before = parts
        try:
            parts = apply(parts, event)
        except OutOfOrder:
            assert parts == before
            continue
        assert len(parts) == len(before) + isinstance(event, PartStarted)
        same = [n for n in range(len(before)) if n != event.index]
        assert all(parts[n] == before[n] for n in same)
        if event.index < len(before):
            assert type(parts[event.index]) is type(before[event.index])


@given(st.lists(st.text(max_size=8)))
def test_the_offset_is_where_the_next_delta_begins(pieces: list[str]) -> None:
    parts = apply((), PartStarted(index=0, part=TextPart()))
    length = 0
    for piece in pieces:
        assert offset_of(parts[0]) == length
        parts = apply(parts, PartDelta(index=0, text=piece))
        length += len(piece.encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize("index", [-1, 1, 5])
def test_a_part_out_of_turn_is_refused(index: int) -> None:
    with pytest.raises(OutOfOrder):
        apply((), PartStarted(index=index, part=TextPart()))


@given(st.lists(PARTS, max_size=6))
def test_nothing_stays_open_in_an_answer_that_is_over(parts: list[Part]) -> None:
    settled = settle(tuple(parts), "2026-01-01T00:00:00Z")
    assert [part.type for part in settled] == [part.type for part in parts]
    tools = [part for part in settled if isinstance(part, ToolPart)]
    assert all(tool.status == "failed" and tool.ended_at for tool in tools)
    assert settle(settled, "later") == settled
