"""Rows are judged by the goal that stands beside them, and by nothing else."""

from __future__ import annotations

import pytest

from bench.goals import GOALS, Goal
from bench.report import Row, summary

SMALL = Goal("delay", "ms", "F", most=2)
LARGE = Goal("speed", "MB/s", "PTY", least=0.8)
COUNT = Goal("lost", "deltas", "", most=0)
TOLD = Goal("hop", "ms", "")


def row(goal: Goal, *rounds: tuple[float, float]) -> Row:
    made = Row(goal)
    for maia, beside in rounds:
        made.add(maia, beside)
    return made


@pytest.mark.parametrize(
    ("goal", "maia", "beside", "reached"),
    [
        (SMALL, 4, 2, True),
        (SMALL, 4.1, 2, False),
        (LARGE, 80, 100, True),
        (LARGE, 79, 100, False),
        (COUNT, 0, 1, True),
        (COUNT, 1, 1, False),
        (TOLD, 99, 1, None),
    ],
)
def test_a_row_is_missed_when_its_ratio_is_on_the_wrong_side(
    goal: Goal, maia: float, beside: float, reached: bool | None
) -> None:
    made = row(goal, (maia, beside))
    assert made.is_reached is reached
    assert ("MISSED" in made.line()) is (reached is False)
    assert ("reached" in made.line()) is (reached is True)


def test_the_ratio_is_the_median_of_the_rounds_not_the_ratio_of_medians() -> None:
    assert row(SMALL, (10, 1), (10, 10), (1, 10)).value == 1


def test_of_a_count_the_worst_round_counts() -> None:
    made = row(COUNT, (0, 1), (0, 1), (1, 1))
    assert not made.is_reached


def test_a_row_that_nothing_was_measured_for_is_missed() -> None:
    assert Row(SMALL).is_reached is False
    assert "nothing was measured" in Row(SMALL).line()


def test_a_row_that_cannot_be_measured_says_why_and_is_not_judged() -> None:
    made = Row(SMALL)
    made.leave_out("there is no ripgrep")
    assert made.is_reached is None
    assert "not measured: there is no ripgrep" in made.line()


def test_every_row_prints_its_goal() -> None:
    assert "≤ 2" in row(SMALL, (1, 1)).line()
    assert "≥ 0.8" in row(LARGE, (1, 1)).line()


def test_the_end_names_what_is_missed() -> None:
    rows = [row(SMALL, (9, 1)), row(LARGE, (9, 1)), row(TOLD, (9, 1))]
    assert summary(rows) == "1 of 2 goals reached\n  missed: delay, beside F"


def test_goals_are_ratios_of_one_run_or_counts() -> None:
    """Milliseconds and megabytes are of one machine; deltas lost and statements are of none."""
    alone = {key for key, goal in GOALS.items() if goal.stands_alone and goal.is_set}
    assert {GOALS[key].unit for key in alone} == {"deltas", "count"}


def test_no_two_rows_look_the_same() -> None:
    shown = [(goal.name, goal.beside, goal.unit) for goal in GOALS.values()]
    assert len(set(shown)) == len(shown)
