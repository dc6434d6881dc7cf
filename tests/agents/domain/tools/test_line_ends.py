"""Line ends: an edit keeps those of the lines it touches, whatever ends it was written with."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.tools.edits import EditError, Replacement, apply_edits
from agents.domain.tools.line_ends import line_ends, plain


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        ("a\r\nb\r\nz\r\n", [("b", "b\nc")], "a\r\nb\r\nc\r\nz\r\n"),  # an anchor of one line
        ("a\r\nb", [("b", "b\nc")], "a\r\nb\r\nc"),  # the last line, without an end
        ("a\r\nb\r\n", [("a\nb\n", "")], ""),
        ("a\r\nb\r\nc\r\n", [("a", "A\n1"), ("b\nc", "B")], "A\r\n1\r\nB\r\n"),
        ("a\nb\n", [("a\r\nb", "a\r\nc")], "a\nc\n"),  # the edit has CRLF, the file has not
        ("a\r\nb\nc\r\n", [("b", "b\nB")], "a\r\nb\nB\nc\r\n"),
        ("a\nb\r\nc\n", [("b", "b\nB")], "a\nb\r\nB\r\nc\n"),
        ("a\r\nb\nc\r\nd\n", [("a\nb\nc", "a\nB\nc")], "a\r\nB\nc\r\nd\n"),
        ("a\r\nb\nc\r\nd\n", [("b\nc\nd", "c\nD")], "a\r\nc\r\nD\n"),  # lines that stay keep theirs
        ("a\r\nb\nc\n", [("a\nb", "a\nnew\nb")], "a\r\nnew\r\nb\nc\n"),
        ("one", [("one", "one\r\ntwo")], "one\r\ntwo"),  # nothing to keep
        ("a\r\nb\r\n", [("a\r\n", "a\n")], "a\nb\r\n"),  # line ends are all it changes
        ("a\rb\r\n", [("b", "c\nd")], "a\rc\r\nd\r\n"),  # a CR alone is a character
    ],
)
def test_the_lines_an_edit_touches_keep_their_ends(
    text: str, edits: list[tuple[str, str]], expected: str
) -> None:
    assert apply_edits(text, [Replacement(*edit) for edit in edits]) == expected


def test_what_differs_in_line_ends_only_is_no_other_text() -> None:
    for old, new, problem in (("a\nb", "a\r\nb", "same"), ("a\nc", "x", "missing")):
        with pytest.raises(EditError) as caught:
            apply_edits("a\r\nb\r\n", [Replacement(old, new)])
        assert caught.value.problem == problem
    with pytest.raises(EditError) as caught:
        apply_edits("a\r\nb\r\na\nb\n", [Replacement("a\nb", "c")])
    assert caught.value.count == 2  # the model is shown both without their ends


LINES = st.lists(st.text("ab é", max_size=3), min_size=1, max_size=8)
ENDS = st.lists(st.sampled_from(["\r\n", "\n"]), min_size=8, max_size=8)


@given(LINES, ENDS, st.integers(0, 8), st.integers(0, 8), LINES, st.booleans())
def test_outside_of_an_edit_every_byte_stays_and_inside_no_end_is_new(
    lines: list[str], ends: list[str], start: int, end: int, new: list[str], crlf: bool
) -> None:
    start, end = sorted((start % len(lines), end % len(lines)))
    marked = [f"<{number}>{line}" for number, line in enumerate(lines)]
    pieces = [f"{line}{ends[number]}" for number, line in enumerate(marked)]
    text = "".join(pieces)
    written = "\r\n" if crlf else "\n"
    old = written.join(marked[start : end + 1])
    edited = apply_edits(text, [Replacement(old, written.join(["new", *new]))])
    assert plain(edited) == plain(text).replace(plain(old), "\n".join(["new", *new]))
    assert edited.startswith("".join(pieces[:start]))
    assert edited.endswith(ends[end] + "".join(pieces[end + 1 :]))
    touched = set(ends[start : end + 1])
    inside = edited[len("".join(pieces[:start])) : len(edited) - len("".join(pieces[end + 1 :]))]
    assert set(re.findall(r"\r?\n", inside)) <= touched


def test_they_are_counted() -> None:
    assert str(line_ends("a\r\nb\r\n")) == "CRLF"
    assert str(line_ends("a\r\nb\nc\r")) == "1 CRLF, 1 LF, 1 CR"
    assert line_ends("a\nb").are_plain
