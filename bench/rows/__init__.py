"""What is measured, one subject a file.

Each gives a function that returns its rows: beside F, given both sides that run already, or alone.
"""

from __future__ import annotations

from bench.goals import GOALS
from bench.report import Row


def row(name: str) -> Row:
    """Returns a new row of the table of goals."""
    return Row(GOALS[name])
