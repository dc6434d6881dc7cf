"""What an agent is told together with a request."""

from __future__ import annotations

from agents.domain.context import Said, build_request, spoken_text
from agents.domain.parts import TextPart, ThoughtPart


def test_pending_context_comes_before_the_request_in_one_text() -> None:
    assert build_request("go", speaker=None, pending=["$ ls\na.py"]) == "$ ls\na.py\n\ngo"


def test_unseen_messages_are_the_last_twenty_cut_to_1500_characters() -> None:
    unseen = [Said("bob", f"{n} " + "x" * 2_000) for n in range(25)]

    text = build_request("go", speaker="alice", unseen=unseen)

    assert "[bob] 4 " not in text
    assert "[bob] 5 " in text
    assert all(len(line) < 1_540 for line in text.split("\n\n"))
    assert text.endswith("[alice] go")


def test_only_what_was_said_counts_as_said() -> None:
    parts = (ThoughtPart(text="hm"), TextPart(text="a"), TextPart(text=""), TextPart(text="b"))

    assert spoken_text(parts) == "a\n\nb"
