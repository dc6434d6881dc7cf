"""What a resumed turn builds on."""

from __future__ import annotations

from agents.domain.content.parts import TextPart, ThoughtPart, ToolPart
from agents.domain.content.turns import parts_after_crash


def test_text_after_the_last_journal_entry_stays_readable_and_says_so() -> None:
    parts = (TextPart(text="kept"), ThoughtPart(text="half"), TextPart(text="a th"))

    after = parts_after_crash(parts, committed=1)

    assert after == (
        TextPart(text="kept"),
        ThoughtPart(text="half", interrupted=True),
        TextPart(text="a th", interrupted=True),
    )


def test_tool_calls_that_were_never_recorded_are_dropped() -> None:
    parts = (TextPart(text="kept"), ToolPart(id="1", name="Bash"), TextPart(text=" "))

    assert parts_after_crash(parts, committed=1) == (TextPart(text="kept"),)
