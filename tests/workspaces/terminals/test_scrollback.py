"""A terminal's state survives any output: what came before the bytes that are kept, is drawn."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

import pyte
import pytest
from avt import Vt  # type: ignore[attr-defined]  # its stub exports nothing by name
from hypothesis import given
from hypothesis import strategies as st

from tests.workspaces.terminals.programs import cut, drawn, pieces
from workspaces.terminals.frames import Ack, Focus, Resize, parse_frame
from workspaces.terminals.modes import Modes
from workspaces.terminals.screen import BURST_SECONDS, SHARE, Screen
from workspaces.terminals.scrollback import CAP, Scrollback

COLS, ROWS = 12, 6
SIZE = (COLS, ROWS)


def kept(said: list[bytes], cap: int = 64, step: int = 16) -> bytes:
    """Returns what a client gets that comes after all this."""
    scrollback = Scrollback(cap, step)
    for one in said:
        scrollback.append(one, SIZE)
    return scrollback.replay()


def state(said: bytes) -> tuple[str, bytes]:
    """Returns what a fresh terminal shows and its modes, after all this."""
    vt, modes = Vt(COLS, ROWS, 0), Modes()
    vt.feed_str(modes.read(said).decode(errors="replace"))
    return vt.dump(), modes.written()


class Glass(pyte.Screen):
    """pyte's screen, another's work: with the second screen and the repetition it lacks."""

    def __init__(self) -> None:
        super().__init__(COLS, ROWS)
        self.first: Any = None
        self.kept = (0, 0)

    def set_mode(self, *modes: int, **rest: Any) -> None:
        if rest.get("private") and {1047, 1049} & set(modes) and self.first is None:
            self.kept = (self.cursor.x, self.cursor.y) if 1049 in modes else self.kept
            self.first = copy.deepcopy(self.buffer)
            self.erase_in_display(2)
        super().set_mode(*modes, **rest)

    def reset_mode(self, *modes: int, **rest: Any) -> None:
        if rest.get("private") and {1047, 1049} & set(modes):
            if self.first is not None:
                self.buffer, self.first = self.first, None
            if 1049 in modes:  # the cursor goes back on the first screen too
                self.cursor.x, self.cursor.y = self.kept
        super().reset_mode(*modes, **rest)


def seen(said: bytes) -> tuple[list[str], tuple[int, int]]:
    """Returns what pyte shows after all this, and where it writes next."""
    glass = Glass()
    text = re.sub(r"(.)\x1b\[(\d+)b", lambda run: run[1] * (int(run[2]) + 1), said.decode())
    pyte.Stream(glass).feed(text)
    return glass.display, (min(glass.cursor.x, COLS - 1), glass.cursor.y)


@given(drawn() | pieces(), st.data())
def test_what_comes_later_shows_the_same_in_the_same_modes(
    said: bytes, data: st.DataObject
) -> None:
    assert state(kept(cut(data, said))) == state(said)


PLAIN = st.one_of(
    st.text(st.sampled_from("abc xyz-"), min_size=1, max_size=9),
    st.just("\r\n"),
    st.builds("\x1b[{};{}H".format, st.integers(1, ROWS), st.integers(1, COLS - 1)),
    st.sampled_from(["\x1b[K", "\x1b[1K", "\x1b[J", "\x1b[2J", "\x1b[?1049h", "\x1b[?1049l"]),
    st.builds("\x1b[{}m".format, st.sampled_from([0, 1, 31, 42])),
)


@given(st.lists(PLAIN, max_size=60), st.data())
def test_another_terminal_shows_the_same_of_a_replay(
    sequences: list[str], data: st.DataObject
) -> None:
    said = "".join(sequences).encode()
    assert seen(kept(cut(data, said))) == seen(said)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=60), st.integers(8, 200))
def test_little_is_kept_as_it_was_and_much_is_bounded(chunks: list[bytes], cap: int) -> None:
    said = b"".join(chunks)
    replay = kept(chunks, cap, 4)
    if len(said) <= cap:
        assert replay == said
    assert len(replay) <= cap + 1_024 + 16 * COLS * ROWS  # what is kept, and a screen


STYLED = st.sampled_from(["", "\x1b[31m", "\x1b[0m", "\x1b[42m", "\x1b[m\x1b[K"])
FLOODS = st.lists(
    st.tuples(STYLED, st.text("ab é", max_size=20), STYLED).map("".join), min_size=40, max_size=90
)


REGIONS = st.sampled_from(["", "\x1b[2;4r", "\x1b[1;6r", "\x1b[1;9r", "\x1b[3r", "\x1b[2;4r\x1b[r"])


@given(drawn(), REGIONS, FLOODS, st.sampled_from(["\r\n", "\n"]), drawn())
def test_a_flood_that_is_read_from_where_it_shows_leaves_the_same(
    before: bytes, region: str, lines: list[str], end: str, after: bytes
) -> None:
    screen, whole = Screen(COLS, ROWS, spent=lambda: 0.0), Vt(COLS, ROWS, 0)
    for data in (before + region.encode(), end.join([*lines, ""]).encode(), after):
        screen.draw(data)
        whole.feed_str(data.decode())
    fresh = Vt(COLS, ROWS, 0)
    fresh.feed_str(screen.written().decode())
    assert fresh.dump() == whole.dump()


def test_a_full_screen_program_survives_ten_megabytes_of_drawing_in_part() -> None:
    chance = random.Random(7)
    scrollback, before = Scrollback(), b"shell$ edit\r\n"
    once = b"\x1b[?1049h\x1b[?1h\x1b=\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b[2;5r\x1b[2J"
    scrollback.append(before + once + b"\x1b]2;edit\x07\x1b[1;1HTITLE\x1b[6;1Hstatus", SIZE)
    for _ in range(10_000):
        part = "".join(
            f"\x1b[{chance.randint(2, 5)};{chance.randint(1, COLS)}H\x1b[3{chance.randint(0, 7)}mx"
            for _ in range(80)
        ).encode()
        scrollback.append(part, SIZE)
    replay = scrollback.replay()
    assert CAP - 40_000 < len(replay) < CAP + 4_000
    for mode in (b"?1049h", b"?1h", b"?1000h", b"?1006h", b"?25l"):
        assert b"\x1b[" + mode in replay[:1_000]
    assert replay.startswith(b"\x1b[?1h\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b=\x1b]2;edit\x07")
    lines = seen(replay)[0]
    assert [lines[row].strip() for row in (0, 5)] == ["TITLE", "status"]
    assert seen(replay + b"\x1b[?1049l")[0][0].strip() == "shell$ edit"


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = self.spent = 0.0

    def draws(self, screen: Screen, seconds: float) -> Any:
        feed = screen._feed

        def costs(text: str) -> None:
            self.now += seconds
            self.spent += seconds
            screen._left -= seconds
            feed(text)

        return costs


def test_a_program_that_costs_too_much_to_draw_is_drawn_with_gaps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    screen = Screen(COLS, ROWS, clock=lambda: clock.now, spent=lambda: 0.0)
    monkeypatch.setattr(screen, "_feed", clock.draws(screen, 0.01))
    for _ in range(100):
        screen.draw(b"\x1b[2J" * 10_000)
    assert clock.spent < BURST_SECONDS + clock.now * SHARE + 0.02
    clock.now += 60
    screen.draw(b"\x1b[2J\x1b[1;1Hagain")
    assert b"again" in screen.written()


@pytest.mark.parametrize(
    "repeated", [b"\x1b[65535b", b"\xc2\x9b65535b", b"\x1b[6\x005535b", b"\x1b[6\x7f5535b"]
)
def test_few_bytes_do_not_write_many_characters(
    monkeypatch: pytest.MonkeyPatch, repeated: bytes
) -> None:
    screen, fed = Screen(COLS, ROWS), list[str]()
    monkeypatch.setattr(screen, "_feed", fed.append)
    screen.draw(b"a" + repeated + b"b\x1b[12b")
    assert fed == ["ab\x1b[12b"]


def test_a_screen_is_no_larger_than_any_there_is() -> None:
    screen = Screen(1_000, 500)
    assert screen.size == (1_000, 120)
    screen.resize(640, 154)
    assert screen.size == (640, 154)
    screen.draw(b"\x1b[154;1Hlast")
    assert b"last" in screen.written()


def test_a_screen_that_cannot_be_drawn_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        __module__ = "pyo3_runtime"

    class Broken:
        def feed_str(self, _text: str) -> None:
            raise PanicException

    screen = Screen(COLS, ROWS)
    monkeypatch.setattr(screen, "_vt", Broken())
    screen.draw(b"lost")
    screen.draw(b"kept")
    assert b"kept" in screen.written()


@given(st.text())
def test_any_text_is_a_frame_or_nothing(text: str) -> None:
    parse_frame(text)


@given(st.integers(2, 1_000), st.integers(1, 500), st.integers(0, 2**53))
def test_frames_are_read(cols: int, rows: int, count: int) -> None:
    assert parse_frame(f'{{"type":"resize","cols":{cols},"rows":{rows}}}') == Resize(
        cols=cols, rows=rows
    )
    assert parse_frame(f'{{"type":"ack","bytes":{count}}}') == Ack(bytes=count)
    assert parse_frame('{"type":"focus"}') == Focus()


def test_what_comes_byte_by_byte_is_kept_in_few_chunks() -> None:
    scrollback, said = Scrollback(), b"0123456789" * 2_000
    for at in range(len(said)):
        scrollback.append(said[at : at + 1], SIZE)
    assert scrollback.replay() == said
    assert len(scrollback._chunks) < 10
