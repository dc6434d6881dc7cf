"""Any chunking of a byte stream gives the same events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.providers.sse import EventTooLarge, SseParser


def parse(*chunks: bytes, largest: int = 1 << 20) -> list[bytes]:
    parser = SseParser(largest)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.finish()


@st.composite
def chunked(draw: st.DrawFn, raw: bytes) -> list[bytes]:
    cuts = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=12)))
    return [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]


line = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)
ending = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.data(), st.lists(st.lists(line, min_size=1, max_size=3), max_size=5), ending)
def test_events_come_out_as_they_went_in(
    data: st.DataObject, events: list[list[str]], end: str
) -> None:
    space = data.draw(st.sampled_from(["", " "]))
    if not space:
        events = [[one.lstrip(" ") for one in lines] for lines in events]
    noise = data.draw(st.sampled_from(["", f": comment{end}", f"event: x{end}id: 3{end}"]))
    bom = data.draw(st.sampled_from(["", "\ufeff"]))
    raw = "".join(
        noise + "".join(f"data:{space}{one}{end}" for one in lines) + end for lines in events
    )
    chunks = data.draw(chunked((bom + raw).encode()))
    assert parse(*chunks) == ["\n".join(lines).encode() for lines in events]


@given(st.data(), st.binary(max_size=200))
def test_any_bytes_in_any_chunks_give_the_same(data: st.DataObject, raw: bytes) -> None:
    assert parse(*data.draw(chunked(raw))) == parse(raw)


def test_the_last_event_needs_no_blank_line() -> None:
    assert parse(b"data: a\n\ndata: b") == [b"a", b"b"]


def test_a_field_without_colon_and_unknown_fields_are_ignored() -> None:
    assert parse(b"data\nretry\ndatax: 1\n data: 2\ndata:3\n\n") == [b"\n3"]


def test_an_event_of_any_size_up_to_the_cap_passes_in_small_chunks() -> None:
    raw = b"data: " + b"x" * 900_000 + b"\n\n"
    assert len(parse(*[raw[i : i + 100] for i in range(0, len(raw), 100)])[0]) == 900_000


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 600, b"data: x\n" * 200, b"x" * 2000])
def test_an_endless_event_is_given_up(piece: bytes) -> None:
    with pytest.raises(EventTooLarge):
        parse(piece, piece, largest=1000)


def test_comments_for_ever_do_not_add_up() -> None:
    assert parse(*[b": keep-alive\n"] * 500, b"data: a\n\n", largest=1000) == [b"a"]
