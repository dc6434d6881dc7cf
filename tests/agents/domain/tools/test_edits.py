"""Edits: exact, unique, on the original, all or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.tools.edits import EditError, Replacement, apply_edits

TEXTS = st.text(alphabet="ab\n é", max_size=60)


def problem(text: str, *edits: tuple[str, str]) -> EditError:
    with pytest.raises(EditError) as caught:
        apply_edits(text, [Replacement(*edit) for edit in edits])
    return caught.value


def test_a_unique_text_is_replaced() -> None:
    assert apply_edits("one two", [Replacement("two", "three")]) == "one three"


def test_an_empty_new_text_deletes() -> None:
    assert apply_edits("one two", [Replacement(" two", "")]) == "one"


def test_edits_are_found_on_the_original_never_in_cascade() -> None:
    assert apply_edits("a b", [Replacement("a", "b"), Replacement("b", "a")]) == "b a"


@pytest.mark.parametrize(
    ("text", "edits", "expected", "number"),
    [
        ("x", [("", "y")], "empty", 1),
        ("x", [("x", "x")], "same", 1),
        ("x", [("x", "z"), ("y", "z")], "missing", 2),
        ("x x", [("x", "y")], "ambiguous", 1),
        ("aaa", [("aa", "b")], "ambiguous", 1),
        ("abcd", [("abc", "x"), ("cd", "y")], "overlap", 2),
        ("abcd", [("b", "x"), ("abcd", "y")], "overlap", 2),
        ("abcd", [("b", "x"), ("b", "y")], "overlap", 2),
    ],
)
def test_what_cannot_be_done_names_the_edit(
    text: str, edits: list[tuple[str, str]], expected: str, number: int
) -> None:
    error = problem(text, *edits)
    assert (error.problem, error.number) == (expected, number)


def test_an_ambiguous_text_is_counted() -> None:
    assert problem("x x x", ("x", "y")).count == 3


def test_edits_that_touch_do_not_overlap() -> None:
    assert apply_edits("abcd", [Replacement("cd", "2"), Replacement("ab", "1")]) == "12"


@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_either_all_edits_are_made_or_an_error_names_one(
    text: str, edits: list[tuple[str, str]]
) -> None:
    replacements = [Replacement(*edit) for edit in edits]
    event = attempt(text, replacements)
    if isinstance(event, EditError):
        assert 1 <= event.number <= len(edits)
        return
    assert len(event) == len(text) + sum(len(new) - len(old) for old, new in edits)


def attempt(text: str, edits: list[Replacement]) -> str | EditError:
    try:
        return apply_edits(text, edits)
    except EditError as error:
        return error


@given(st.lists(st.text("xyz", min_size=1), min_size=1, max_size=6), st.data())
def test_edits_at_marks_give_exactly_the_new_pieces(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(f"<{n}>" for n in range(len(pieces)))
    edits = [Replacement(f"<{n}>", piece) for n, piece in enumerate(pieces)]
    assert apply_edits(text, data.draw(st.permutations(edits))) == "".join(pieces)
