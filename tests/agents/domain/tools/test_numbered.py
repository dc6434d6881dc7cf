"""Numbered lines: 6 columns, a tab, and where it goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.tools.numbered import MAX_SHOWN, number_lines


def test_numbers_take_six_columns_and_a_tab() -> None:
    assert number_lines("one\ntwo\n").text == "     1\tone\n     2\ttwo"


@given(
    st.lists(st.text("ab\t\x0c", max_size=5), max_size=30),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_windows_show_exactly_their_lines(lines: list[str], offset: int, limit: int) -> None:
    text = "".join(f"{line}\n" for line in lines)
    shown = number_lines(text, offset, limit)
    rows = shown.text.split("\n") if shown.last >= shown.first else []
    assert shown.total == len(lines)
    assert [row.split("\t", 1)[1] for row in rows] == lines[offset - 1 : offset - 1 + limit]
    assert [int(row.split("\t", 1)[0]) for row in rows] == list(range(offset, shown.last + 1))


def test_one_endless_line_is_cut_and_the_rest_can_be_read_on() -> None:
    shown = number_lines("x" * 3 * MAX_SHOWN + "\nend\n")
    assert len(shown.text) <= MAX_SHOWN + 1
    assert (shown.first, shown.last, shown.total, shown.cut) == (1, 1, 2, True)
