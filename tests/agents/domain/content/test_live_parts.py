"""Parts that grow while they stream."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import PlanPart, TextPart, ThoughtPart, ToolPart, utf16_length
from agents.domain.content.transcript import OutOfOrder
from tests.support.known import the


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
        live.replace(0, ThoughtPart())
