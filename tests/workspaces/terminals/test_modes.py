"""What programs switched on in a terminal is known, however its output came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workspaces.terminals.programs import cut, pieces
from workspaces.terminals.modes import Modes


def read(*data: bytes) -> bytes:
    modes = Modes()
    for one in data:
        modes.read(one)
    return modes.written()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (b"plain \x1b[31mred\x1b[0m\x1b[2J\x1b[3;4H", b""),
        (b"\x1b[?1h\x1b[?1000h\x1b[?1006h", b"\x1b[?1h\x1b[?1000h\x1b[?1006h"),
        (b"\x1b[?1;1000;2004h", b"\x1b[?1h\x1b[?1000h\x1b[?2004h"),
        (b"\x1b[?1h\x1b[?2004h\x1b[?1l", b"\x1b[?2004h"),
        (b"\x1b[?25l", b"\x1b[?25l"),
        (b"\x1b[?25l\x1b[?25h", b""),
        (b"\x1b[?1000h\x1b[?1002h\x1b[?1003h", b"\x1b[?1003h"),  # the last of them counts
        (b"\x1b[?1002h\x1b[?1000l", b""),  # xterm: any of them off, all off
        (b"\x1b[?1005h\x1b[?1006h", b"\x1b[?1006h"),
        (b"\x1b[?1004h", b"\x1b[?1004h"),
        (b"\x1b=", b"\x1b="),
        (b"\x1b[?66h", b"\x1b="),
        (b"\x1b=\x1b>", b""),
        (b"\x1b[4 q", b"\x1b[4 q"),
        (b"\x1b[4 q\x1b[0 q", b"\x1b[0 q"),
        (b"\x1b[44 q\x1b[7 q", b""),
        (b"\x1b]2;my title\x07", b"\x1b]2;my title\x07"),
        (b"\x1b]0;both\x1b\\\x1b[?1h", b"\x1b[?1h\x1b]2;both\x07"),
        (b"\x1b]2;a\x9b\x07", b"\x1b]2;a\x9b\x07"),
        (b"\x1b]2;a\xc2\x9cprinted\x07", b""),  # would end early, and the rest be drawn
        (
            b"\x1b]12;#ff0000\x07\x1b]4;1;red;2;blue\x07",
            b"".join((b"\x1b]12;#ff0000\x07", b"\x1b]4;1;red\x07", b"\x1b]4;2;blue\x07")),
        ),
        (b"\x1b]10;a;b;c;d\x07", b"\x1b]10;a\x07\x1b]11;b\x07\x1b]12;c\x07"),
        (b"\x1b]11;?\x07\x1b]4;7;?\x07", b""),  # a question
        (b"\x1b]12;red\x07\x1b]112\x07", b""),
        (b"\x1b]4;1;a;2;b\x07\x1b]104;1\x07", b"\x1b]4;2;b\x07"),
        (b"\x1b]4;1;a;2;b\x07\x1b]11;c\x07\x1b]104\x07", b"\x1b]11;c\x07"),
        (b"\x1b]52;c;c2VjcmV0\x07", b""),  # nobody's clipboard
        (b"\x1b[?1h\x1b[?1000h\x1b[!p", b"\x1b[?1000h"),
        (b"\x1b[?1h\x1b[?1000h\x1b=\x1b]2;t\x07\x1bc", b"\x1b]2;t\x07"),
        (b"\x1bPtmux;\x1b\x1b[?1h\x1b\\", b"\x1b[?1h"),  # an ESC ends any text
        (b"\x1b]2;never ended \x1b[?1h", b"\x1b[?1h\x1b]2;never ended \x07"),
        (b"\x1b]2;given up \x18\x1b[?1h", b"\x1b[?1h"),
        (b"\x1b[?1\x1b[?2004h", b"\x1b[?2004h"),
        (b"\x1b[?2\n004h", b"\x1b[?2004h"),  # controls count, and the sequence goes on
        (b"\x1b[?1h" + b"\x1b[?" + b"1;" * 300 + b"25l", b"\x1b[?1h"),
        (b"\x1b]2;" + b"x" * 600 + b"\x07", b""),
        (b"\x1b[?1049h\x1b[?6h\x1b[?7l\x1b[4h\x1b[2;5r", b""),  # those are the screen's own
        (b"\x1b[?5h\x1b[?2031h", b"\x1b[?5h\x1b[?2031h"),  # those that a later xterm may know
        (
            b"".join(b"\x1b[?3%03dh" % one for one in range(500)),
            b"".join(b"\x1b[?3%03dh" % one for one in range(64)),
        ),
        (b"\x1b[?2026h", b""),  # a drawing that has begun is not begun again
    ],
)
def test_what_a_fresh_terminal_is_told(said: bytes, written: bytes) -> None:
    assert read(said) == written
    assert read(*(said[at : at + 1] for at in range(len(said)))) == written
    assert read(written) == written


@given(st.binary(max_size=300) | pieces(), st.data())
def test_how_it_was_cut_makes_no_difference(said: bytes, data: st.DataObject) -> None:
    whole, parts = Modes(), Modes()
    complete = whole.read(said)
    assert b"".join([parts.read(one) for one in cut(data, said)]) == complete
    assert parts.written() == whole.written()
    assert parts.unfinished == whole.unfinished
    assert complete + whole.unfinished == said


@given(
    st.binary(max_size=40), st.sampled_from([b"\x1b]2;", b"\x1bP", b"\x1b[?", b"\x1b "]), st.data()
)
def test_a_sequence_without_end_is_not_kept(
    before: bytes, begun: bytes, data: st.DataObject
) -> None:
    modes = Modes()
    for one in cut(data, before + begun + b"1" * 3_000):
        modes.read(one)
        assert len(modes.unfinished) <= 1_024
    modes.read(b"\x07\x18\x1b[?1h\x1b[?2004h")
    assert b"\x1b[?2004h" in modes.written()
