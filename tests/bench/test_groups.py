"""Groups that need no server, as the command line runs them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from bench.goals import GOALS
from tests.support.processes import ROOT


@pytest.mark.parametrize(
    ("group", "rows"),
    [
        ("permissions", ("g-verdict", "g-reading", "g-growth")),
        ("command", ("j-command",)),
        ("tokens", ("e-count", "e-again")),
    ],
)
def test_a_group_prints_its_rows_with_their_goals(group: str, rows: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", group, "--rounds", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for goal in (GOALS[name] for name in rows):
        line = next(one for one in done.stdout.splitlines() if one.startswith(goal.name))
        assert "not measured" in line or re.search(rf"{goal.shown} +(reached|MISSED)$", line)
    assert re.search(r"^\d of \d goals reached$", done.stdout, re.MULTILINE)


def test_every_goal_is_that_of_a_row() -> None:
    """A goal that nothing measures would never be missed."""
    code = "".join(path.read_text() for path in (ROOT / "bench" / "rows").glob("*.py"))
    families = set(re.findall(r'"(\w+)"', code))
    for name in GOALS:
        family, _, what = name.partition("-")
        assert f'"{name}"' in code or {family, what} <= families or f'f"{family}-' in code, name
