"""Every kept case of what rules say about a call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.domain.rule_cases import CASES, verdict_of


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_is_decided_as_written(case: dict[str, Any]) -> None:
    verdict = verdict_of(case)
    assert verdict.family in [case["expect"], *case.get("also_ok", [])], verdict.sentence()


def test_a_verdict_says_why_in_words() -> None:
    for case in CASES:
        verdict = verdict_of(case)
        assert verdict.sentence().strip()
        assert all(char.isprintable() for char in verdict.sentence())


def test_an_allow_or_a_deny_names_its_rule() -> None:
    for case in CASES:
        verdict = verdict_of(case)
        if verdict.family != "ask":
            assert verdict.rule in case["rules"][verdict.family]
            assert verdict.scope == "site"
