"""Every kept case of what rules say about a call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.domain.rules.rule_cases import CASES, verdict_of


@pytest.mark.parametrize("category", sorted({case["cat"] for case in CASES}))
def test_the_cases_of_a_category_are_decided_as_written(category: str) -> None:
    assert [found for found in map(_difference, _of(category)) if found] == []


def _of(category: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["cat"] == category]


def _difference(case: dict[str, Any]) -> str:
    verdict = verdict_of(case)
    if verdict.family in [case["expect"], *case.get("also_ok", [])]:
        return ""
    return f"{case['id']} {case['input']}: {verdict.family}, {verdict.sentence()}"


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
