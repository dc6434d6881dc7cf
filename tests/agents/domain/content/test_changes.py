"""Changes: counted lines, and a diff whose numbers are those of the files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content import changes
from agents.domain.content.changes import describe_change, lines_of, shown_diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "\x0c"]), max_size=40)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def rebuilt(old: str, diff: str) -> list[str]:
    """The new lines (ends aside), from the old ones and the diff."""
    before = [line.rstrip("\r\n") for line in lines_of(old)]
    after, at = [], 0
    for row in diff.split("\n") if diff else []:
        if row.startswith(("@@", "\\")):
            continue
        number, _, line = row[1:].partition("\t")
        if row[0] == "-":
            after += before[at : int(number) - 1]
            assert before[int(number) - 1] == line
            at = int(number)
        elif row[0] == "+":
            while len(after) < int(number) - 1:
                after.append(before[at])
                at += 1
            assert len(after) == int(number) - 1
            after.append(line)
    return after + before[at:]


def test_the_diff_carries_line_numbers() -> None:
    change = describe_change("one\ntwo\nthree\n", "one\n2\nthree\n")
    assert change.diff == (
        "@@ -1,3 +1,3 @@\n      1\tone\n-     2\ttwo\n+     2\t2\n      3\tthree"
    )
    assert (change.added, change.removed, change.first_line) == (1, 1, 2)


def test_only_three_lines_around_a_change_are_shown() -> None:
    old = "".join(f"{n}\n" for n in range(1, 101))
    change = describe_change(old, old.replace("50\n", "fifty\n"))
    assert len(change.diff.split("\n")) == 1 + 3 + 2 + 3
    assert change.first_line == 50


def test_a_missing_newline_at_the_end_is_told() -> None:
    change = describe_change("a\n", "a")
    assert change.diff.endswith("+     1\ta\n\\ No newline at end of file")
    assert (change.added, change.removed) == (1, 1)


def test_equal_texts_have_no_diff() -> None:
    change = describe_change("a\n", "a\n")
    assert (change.diff, change.added, change.removed, change.first_line) == ("", 0, 0, 0)


@given(TEXTS, TEXTS)
def test_the_diff_leads_from_the_old_text_to_the_new(old: str, new: str) -> None:
    change = describe_change(old, new)
    assert rebuilt(old, change.diff) == [line.rstrip("\r\n") for line in lines_of(new)]
    assert change.added - change.removed == len(lines_of(new)) - len(lines_of(old))


def test_texts_that_would_take_long_to_compare_are_replaced_as_a_whole() -> None:
    old, new = "a\nb\n" * 50_000, "b\nb\na\na\n" * 40 + "c\n"
    change = describe_change(f"{old}d\n", new)
    assert (change.added, change.removed) == (161, 100_001)


def test_many_lines_that_differ_are_compared_line_by_line() -> None:
    old = "".join(f"{n}\n\n" for n in range(20_000))
    change = describe_change(old, old.replace("5\n\n6", "5\n\nx\n\n6", 1).replace("19998", "y"))
    assert (change.added, change.removed) == (3, 1)


def test_long_texts_show_people_only_what_is_around_the_change() -> None:
    old = "".join(f"line {n}\n" for n in range(50_000))
    diff = shown_diff("a", old, old.replace("line 25000\n", "changed\n"))
    assert "changed" in diff.new_text
    assert len(diff.old_text) < 2_000
    huge = shown_diff("a", "", "x" * 1_000_000, new_file=True)
    assert len(huge.new_text) < changes.MAX_DIFF_TEXT + 200
