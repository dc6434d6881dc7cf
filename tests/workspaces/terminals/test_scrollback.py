"""The scrollback of a terminal is bounded and begins where a screen can begin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workspaces.terminals.frames import Ack, Resize, parse_frame
from workspaces.terminals.scrollback import Scrollback


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=60), st.integers(8, 200))
def test_it_is_the_end_of_what_was_said_and_bounded(chunks: list[bytes], cap: int) -> None:
    kept = Scrollback(cap)
    for chunk in chunks:
        kept.append(chunk)
    said = b"".join(chunks)
    replay = kept.replay()
    assert said.endswith(replay)
    assert len(replay) <= cap
    if len(said) <= cap:
        assert replay == said


@given(st.lists(st.text(min_size=1, max_size=20), max_size=40), st.integers(20, 100))
def test_a_cut_never_splits_a_character(lines: list[str], cap: int) -> None:
    kept = Scrollback(cap)
    for line in lines:
        kept.append(line.encode())
    kept.replay().decode()


def test_a_cut_begins_at_a_line() -> None:
    kept = Scrollback(10)
    kept.append(b"\x1b[31mfirst\nsecond\nthird\n")
    assert kept.replay() == b"third\n"


def test_a_cut_in_a_flood_without_lines_begins_at_a_sequence() -> None:
    kept = Scrollback(8)
    kept.append(b"aaaa\x1b[1mbb\x1b[0mcc")
    assert kept.replay() in {b"bb\x1b[0mcc", b"\x1b[0mcc"}


@given(st.text())
def test_any_text_is_a_frame_or_nothing(text: str) -> None:
    parse_frame(text)


@given(st.integers(2, 1_000), st.integers(1, 500), st.integers(0, 2**53))
def test_frames_are_read(cols: int, rows: int, count: int) -> None:
    assert parse_frame(f'{{"type":"resize","cols":{cols},"rows":{rows}}}') == Resize(
        cols=cols, rows=rows
    )
    assert parse_frame(f'{{"type":"ack","bytes":{count}}}') == Ack(bytes=count)


def test_what_comes_byte_by_byte_is_kept_in_few_chunks() -> None:
    scrollback, said = Scrollback(), b"0123456789" * 2_000
    for at in range(len(said)):
        scrollback.append(said[at : at + 1])
    assert scrollback.replay() == said
    assert len(scrollback._chunks) < 10
