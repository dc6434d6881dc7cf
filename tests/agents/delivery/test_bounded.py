"""Whatever is sent, no message of the wire is longer than it may be, and nothing of it is lost."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.delivery.packets import MAX_BODY, MERGE_LIMIT, Packet, packet, together
from agents.domain.content.cards import ASKED_INPUT, DIFFS, INPUT, OUTPUT, card, carried
from agents.domain.content.parts import Diff, TextPart, ToolPart
from agents.protocol.frames import FRAME, Frame, MessageDelta, NoticeGiven, encode

LETTERS = st.sampled_from(["a", "\n", '"', "\\", "\x01", "é", "日", "🙂", "\u2028", "\x7f"])
LONG = st.builds(lambda letter, n: letter * n, LETTERS, st.integers(0, 700_000))


def read(bodies: list[bytes]) -> list[Frame]:
    """What a client makes of them."""
    found: list[Frame] = []
    pieces: list[str] = []
    for body in bodies:
        told = orjson.loads(body)
        for one in told if isinstance(told, list) else [told]:
            if one["type"] != "piece":
                found.append(FRAME.validate_python(one))
                continue
            assert one["at"] == len(pieces)
            pieces.append(one["text"])
            if len(pieces) == one["of"]:
                found.append(FRAME.validate_json("".join(pieces)))
                pieces = []
    assert not pieces
    return found


def notice(text: str) -> NoticeGiven:
    return NoticeGiven(channel="c", code="x", message=text)


def delta(text: str, offset: int = 0, index: int = 0) -> MessageDelta:
    return MessageDelta(
        channel="c", message_id="m", index=index, kind="text", text=text, offset=offset
    )


@given(st.lists(st.tuples(st.booleans(), LONG), max_size=4))
@settings(max_examples=60)
def test_every_message_is_within_the_bound_and_says_the_same(
    said: list[tuple[bool, str]],
) -> None:
    frames: list[Frame] = [
        delta(text, index=number) if is_delta else notice(text)
        for number, (is_delta, text) in enumerate(said)
    ]
    packets = [piece for frame in frames for piece in packet(frame).pieces]
    bodies = together(packets) if packets else []
    assert all(len(body) <= MAX_BODY for body in bodies)
    assert read(bodies) == frames


@given(
    st.lists(st.builds(lambda letter, n: letter * n, LETTERS, st.integers(1, 40_000)), max_size=40)
)
@settings(max_examples=30)
def test_joined_deltas_are_within_the_bound_and_say_the_same(texts: list[str]) -> None:
    frames, offset = [], 0
    for text in texts:
        frames.append(delta(text, offset))
        offset += len(text.encode("utf-16-le")) // 2
    packets = [piece for frame in frames for piece in packet(frame).pieces]
    bodies = together(packets) if packets else []
    assert all(len(body) <= MAX_BODY for body in bodies)
    told = [frame.text for frame in read(bodies) if isinstance(frame, MessageDelta)]
    assert "".join(text or "" for text in told) == "".join(texts)


def test_a_short_frame_is_sent_as_it_is() -> None:
    one = packet(notice("hello"))
    assert one.pieces == (one,)
    assert together([one]) == [encode(notice("hello"))]


def test_the_longest_text_that_is_joined_fits_whatever_its_letters_are() -> None:
    worst = Packet(delta("\x01" * 2 * MERGE_LIMIT))
    assert all(len(piece.body) <= MAX_BODY for piece in worst.pieces)


def tool(**fields: Any) -> ToolPart:
    return ToolPart(id="c", name="Bash", **fields)


@given(
    st.integers(0, 100_000),
    st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 60_000)), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(0, 60_000), max_size=4),
)
@settings(max_examples=40)
def test_a_card_carries_little_and_says_what_it_leaves_out(
    output: int, diffs: list[tuple[int, int]], texts: dict[str, int]
) -> None:
    texts_of = {key: "x" * n for key, n in texts.items()}
    whole = tool(
        output="line\n" * (output // 5),
        input=orjson.dumps(texts_of).decode(),
        diffs=tuple(Diff(path="a", old_text="o\n" * a, new_text="n\n" * b) for a, b in diffs),
    )
    shown = card(whole)
    assert len(shown.output) <= OUTPUT + 10
    assert len(shown.input) <= INPUT + 100
    assert sum(len(one.old_text) + len(one.new_text) for one in shown.diffs) <= DIFFS
    assert set(orjson.loads(shown.input)) == set(texts_of)
    assert (shown.cut is None) == (shown == whole)
    if shown.cut is not None:
        assert shown.cut.output == len(whole.output)
        assert shown.cut.lines == whole.output.count("\n")
        assert shown.cut.added >= 0
    assert card(shown) == shown  # what was cut is not cut again


@pytest.mark.parametrize("text", ["{", "[1]", '"x"', "null"])
def test_an_input_that_is_no_object_stays_readable(text: str) -> None:
    shown = card(tool(input=text + " " * INPUT))
    assert orjson.loads(shown.input) == {}


def test_a_call_that_is_asked_about_is_carried_whole_as_far_as_a_card_can_show_it() -> None:
    command = "echo " + "x" * 50_000
    whole = tool(input=orjson.dumps({"command": command}).decode())
    assert card(whole, ASKED_INPUT) == whole
    assert card(whole).cut is not None


def test_other_parts_are_carried_as_they_are() -> None:
    text = TextPart(text="long " * 100_000)
    assert carried((text,)) == (text,)
