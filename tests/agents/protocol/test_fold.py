"""Folding deltas: any repetition changes nothing, any gap is seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import TextPart, ThoughtPart, ToolPart, utf16_length
from agents.domain.content.transcript import OutOfOrder
from agents.protocol.fold import fold_delta
from agents.protocol.frames import MessageDelta
from tests.support.known import the


def delta(text: str, offset: int, index: int = 0) -> MessageDelta:
    return MessageDelta(
        channel="c", message_id="m", index=index, kind="text", text=text, offset=offset
    )


def stream(pieces: list[str]) -> list[MessageDelta]:
    offset, frames = 0, []
    for piece in pieces:
        frames.append(delta(piece, offset))
        offset += utf16_length(piece)
    return frames


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1), st.data())
def test_deltas_may_repeat_and_the_reader_may_join_at_any_point(
    pieces: list[str], data: st.DataObject
) -> None:
    frames = stream(pieces)
    joined = data.draw(st.integers(0, len(frames) - 1))
    live = LiveParts((TextPart(text="".join(pieces[: joined + 1])),))

    for frame in frames:
        fold_delta(live, frame)
        fold_delta(live, frame)

    assert live.parts == (TextPart(text="".join(pieces)),)


@given(st.text(min_size=2), st.data())
def test_an_overlapping_delta_adds_only_its_tail(text: str, data: st.DataObject) -> None:
    seen = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, seen))
    live = LiveParts((TextPart(text=text[:seen]),))

    fold_delta(live, delta(text[start:], utf16_length(text[:start])))

    assert live.parts == (TextPart(text=text),)


def test_a_gap_is_seen() -> None:
    live = LiveParts((TextPart(text="ab"),))

    with pytest.raises(OutOfOrder):
        fold_delta(live, delta("d", 3))
    with pytest.raises(OutOfOrder):
        fold_delta(live, delta("x", 0, index=2))
    with pytest.raises(OutOfOrder):
        fold_delta(live, delta("x", 4, index=1))


def test_an_older_revision_of_a_tool_never_comes_back() -> None:
    live = LiveParts((ToolPart(id="1", name="Bash", rev=5, status="completed"),))
    old = ToolPart(id="1", name="Bash", rev=4, status="in_progress")

    fold_delta(
        live,
        MessageDelta(channel="c", message_id="m", index=0, kind="tool", part=old, offset=4),
    )

    assert the(ToolPart, live.part(0)).rev == 5


def test_a_thought_that_ends_learns_how_long_it_took() -> None:
    live = LiveParts((ThoughtPart(text="hmm"),))

    fold_delta(
        live,
        MessageDelta(
            channel="c",
            message_id="m",
            index=0,
            kind="thought",
            text="hmm",
            offset=0,
            seconds=2.5,
        ),
    )

    assert live.parts == (ThoughtPart(text="hmm", seconds=2.5),)
