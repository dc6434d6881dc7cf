"""Parts that grow while they stream."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import (
    Part,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    utf16_length,
)
from agents.domain.content.transcript import OutOfOrder
from tests.support.known import the

PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, text=st.text(max_size=5)),
    st.builds(ThoughtPart, text=st.text(max_size=5)),
    st.builds(ToolPart, id=st.just("x"), name=st.just("t"), rev=st.integers(0, 9)),
    st.builds(PlanPart, rev=st.integers(0, 9)),
)
INDEX = st.integers(-1, 4)
STEPS = st.one_of(
    st.tuples(st.just("start"), INDEX, PARTS),
    st.tuples(st.just("append"), INDEX, st.text(max_size=5)),
    st.tuples(st.just("replace"), INDEX, PARTS),
)


@given(st.lists(STEPS, max_size=12))
def test_a_step_fits_or_changes_nothing(steps: list[tuple[str, int, Part | str]]) -> None:
    live = LiveParts()
    for step, index, what in steps:
        before = live.parts
        try:
            getattr(live, step)(index, what)
        except OutOfOrder:
            assert live.parts == before
            continue
        parts = live.parts
        assert len(parts) == len(before) + (step == "start")
        same = [n for n in range(len(before)) if n != index]
        assert all(parts[n] == before[n] for n in same)
        if index < len(before):
            assert type(parts[index]) is type(before[index])


@given(st.lists(st.text(max_size=5)))
def test_the_joined_text_and_the_offset_are_those_of_all_pieces(pieces: list[str]) -> None:
    live = LiveParts()
    live.start(0, TextPart())

    offsets = [live.append(0, piece) for piece in pieces]

    whole = "".join(pieces)
    assert live.parts == (TextPart(text=whole),)
    assert live.offset(0) == utf16_length(whole)
    assert offsets == [utf16_length("".join(pieces[:n])) for n in range(len(pieces))]


def test_a_revision_always_grows() -> None:
    live = LiveParts((ToolPart(rev=7, id="1", name="Bash"),))

    standing = live.replace(0, ToolPart(rev=2, id="1", name="Bash", status="completed"))

    assert the(ToolPart, standing).rev == 8
    assert live.offset(0) == 8


def test_what_cannot_follow_is_refused() -> None:
    live = LiveParts((TextPart(text="a"), PlanPart()))

    with pytest.raises(OutOfOrder):
        live.start(3, TextPart())
    with pytest.raises(OutOfOrder):
        live.append(1, "text for a plan")
    with pytest.raises(OutOfOrder):
        live.append(9, "nowhere")
    with pytest.raises(OutOfOrder):
        live.replace(0, PlanPart())
