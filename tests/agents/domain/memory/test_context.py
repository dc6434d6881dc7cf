"""What an agent is told together with a request."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.parts import TextPart, ThoughtPart
from agents.domain.memory.context import MAX_PENDING, Heard, add_pending, build_request, spoken_text


def test_pending_context_comes_before_the_request_in_one_text() -> None:
    assert build_request("go", speaker=None, pending=["$ ls\na.py"]) == "$ ls\na.py\n\ngo"


def test_unseen_messages_are_the_last_twenty_cut_to_1500_characters() -> None:
    unseen = [Heard("bob", f"{n} " + "x" * 2_000) for n in range(25)]

    text = build_request("go", speaker="alice", unseen=unseen)

    assert "[bob] 4 " not in text
    assert "[bob] 5 " in text
    assert all(len(line) < 1_540 for line in text.split("\n\n"))
    assert text.endswith("[alice] go")


@given(st.lists(st.integers(1, 60_000), min_size=1, max_size=12))
def test_pending_context_keeps_the_newest_within_its_limit(sizes: list[int]) -> None:
    pending: list[str] = []
    texts = [f"{number:02}" + "x" * size for number, size in enumerate(sizes)]
    for one in texts:
        pending = add_pending(pending, one, "en")

    kept = [one for one in pending if not one.startswith("[…")]
    assert kept == texts[len(texts) - len(kept) :]
    assert sum(map(len, kept)) <= MAX_PENDING
    assert (len(pending) > len(kept)) is (len(kept) < len(texts))
    assert len(pending) - len(kept) <= 1


def test_only_what_was_said_counts_as_said() -> None:
    parts = (ThoughtPart(text="hm"), TextPart(text="a"), TextPart(text=""), TextPart(text="b"))

    assert spoken_text(parts) == "a\n\nb"
