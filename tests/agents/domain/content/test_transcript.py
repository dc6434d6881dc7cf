"""How far parts have come, and what stays of them when an answer is over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.parts import Part, TextPart, ToolPart
from agents.domain.content.transcript import offset_of, settle
from tests.agents.domain.content.test_live_parts import PARTS


def test_the_offset_of_text_counts_as_browsers_do() -> None:
    assert offset_of(TextPart(text="é😀!")) == 4  # the emoji counts two in UTF-16


@given(st.lists(PARTS, max_size=6))
def test_nothing_stays_open_in_an_answer_that_is_over(parts: list[Part]) -> None:
    settled = settle(tuple(parts), "2026-01-01T00:00:00Z")
    assert [part.type for part in settled] == [part.type for part in parts]
    tools = [part for part in settled if isinstance(part, ToolPart)]
    assert all(tool.status == "failed" and tool.ended_at for tool in tools)
    assert settle(settled, "later") == settled
