"""Terminal text: what stays of an output once it is over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.terminal_text import at_the_end


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("plain\n\tindented  \n", "plain\n\tindented  \n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07end", "link end"),
        ("10%\r20%\r100%\ndone", "100%\ndone"),
        ("long line\rab", "abng line"),
        ("working...\r\x1b[Kdone\n", "done\n"),
        ("working...\r          \rdone\n", "done\n"),
        ("abc\x08\x08X", "aXc"),
        ("one\ntwo\n\x1b[2A\x1b[2K1\n\x1b[2K2\n", "1\n2\n"),  # several bars, drawn again
        ("one\ntwo\x1b[1A\rONE", "ONE\ntwo"),
        ("a\nb\x1b[2J\x1b[Hc", "c\n"),  # cleared
        ("before\x1b[?1049hfull screen\x1b[5;5Hx\x1b[?1049lafter", "beforeafter"),
        ("下载 10%\r完成\x1b[K\n", "完成\n"),
        ("下载\rx", "x 载"),  # half of a wide character is a space
        ("e\u0301\rx", "x"),
        ("a\x00b\x07c\x1b", "abc"),
        ("\x1b]unfinished\nnext", "\nnext"),
        ("cut in a colour\x1b[31", "cut in a colour"),
        ("\x1b7 10%\x1b8 20%", " 20%"),  # apt keeps the cursor's place and goes back
        ("\x1b[s10%\x1b[u20%", "20%"),
        ("one\ntwo\x1bM\rONE", "ONE\ntwo"),
        ("one\x1bEtwo\x1bD!", "one\ntwo\n   !"),
        ("a\nb\x1b[2J\x1b[1;1fc", "c\n"),
        ("a\nb\x1b[1d\x1b[1`c", "c\nb"),
        ("\x9b1;31mred\x9bm", "red"),
        ("x" * 2_500 + "\ny\x1b[0m", "x" * 2_500 + "\ny"),
        ("x" * 1_500 + "\x1b[2J\x1b[Hy\nz", "y\nz"),  # what goes on in the next row is gone too
    ],
)
def test_what_a_terminal_shows_at_the_end(output: str, expected: str) -> None:
    assert at_the_end(output).text == expected


def test_what_was_written_over_is_counted() -> None:
    output = "".join(f"\rprogress {n}%" for n in range(1, 2_001)) + "\n"
    shown = at_the_end(output)
    assert shown.text == "progress 2000%\n"
    assert 20_000 < shown.overwritten < len(output)
    assert at_the_end("\x1b[31mred\x1b[0m\r\n").overwritten == 0


@pytest.mark.parametrize("command", ["\x1b[999999X", "\x1b[1K", "\x1b[2K", "\x1b[999999P"])
def test_what_is_erased_again_and_again_is_a_row_and_no_endless_line(command: str) -> None:
    assert at_the_end("x" * 50_000 + "\r" + command).overwritten <= 1_000


PIECES = st.sampled_from(
    [
        "a",
        "bc",
        " ",
        "\n",
        "\r",
        "\x08",
        "é",
        "日",
        "\u0301",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2J",
        "\x1b[J",
        "\x1b[3A",
        "\x1b[99B",
        "\x1b[C",
        "\x1b[7D",
        "\x1b[H",
        "\x1b[3;9H",
        "\x1b[2P",
        "\x1b[4X",
        "\x1b[31m",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b",
        "\x1b]0;x",
        "\x9b",
        "\x1b[1G",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_nothing_is_invented_and_no_code_stays(output: str) -> None:
    shown = at_the_end(output)
    assert not {"\x1b", "\r", "\x08", "\x9b"} & set(shown.text)
    assert set(shown.text) <= set(output) | {" ", "\n"}
    assert at_the_end(shown.text).text == shown.text
    assert shown.overwritten <= len(output)


@given(st.text(alphabet="ab\n\t é日", max_size=80))
def test_a_plain_text_stays(text: str) -> None:
    assert at_the_end(text).text == text
    assert at_the_end(f"\x1b[0m{text}").text == text
