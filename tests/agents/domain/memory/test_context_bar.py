"""The bar of squares: the seed's scale, colours and numbers, the same as in the browser."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.memory.context_bar import MOST_SQUARES, context_bar

CASES = json.loads((Path(__file__).parents[3] / "golden/context_bars.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['used']}-of-{case['size']}")
def test_a_bar_is_as_the_shared_cases_say(case: dict[str, Any]) -> None:
    bar = context_bar(case["used"], case["size"])

    assert (asdict(bar) if bar else None) == case["bar"]


@given(st.integers(1, 100_000_000), st.integers(1, 100_000_000))
def test_a_bar_fits_and_shows_at_least_one_square_of_what_is_there(used: int, size: int) -> None:
    bar = context_bar(used, size)

    assert bar is not None
    assert 1 <= bar.total <= MOST_SQUARES
    assert bar.on >= 1
    assert (bar.level == "crit") == (used / size >= 0.85)
