"""Matches and decisions of rules are counted apart."""

from __future__ import annotations

import pytest

from agents.models import Rule
from agents.selectors.permissions.policies import CONTEXT
from agents.services.permissions.requests import count_matches
from tests.cast import Cast
from tests.support.rules import rules_for

RULES = (
    ("deny", "Bash(rm *)"),
    ("ask", "Bash(git push *)"),
    ("allow", "Bash(git *)"),
    ("allow", "Bash(ls *)"),
)


@pytest.mark.parametrize(
    ("command", "matched", "decided"),
    [
        ("git status", {"Bash(git *)"}, {"Bash(git *)"}),
        ("git push origin", {"Bash(git *)", "Bash(git push *)"}, {"Bash(git push *)"}),
        ("git status && ls -l", {"Bash(git *)", "Bash(ls *)"}, {"Bash(git *)", "Bash(ls *)"}),
        ("git status && make", {"Bash(git *)"}, set()),
        ("ls && rm -r x", {"Bash(ls *)", "Bash(rm *)"}, {"Bash(rm *)"}),
        ("make", set(), set()),
    ],
)
def test_a_rule_that_matched_did_not_always_decide(
    cast: Cast, command: str, matched: set[str], decided: set[str]
) -> None:
    Rule.objects.all().delete()
    Rule.objects.bulk_create(Rule(scope="site", family=family, text=text) for family, text in RULES)
    policy = rules_for(cast.access(cast.alice).place, "maia").policy

    for _time in range(2):
        count_matches(policy.evaluate("Bash", {"command": command}, CONTEXT))

    rows = Rule.objects.all()
    assert {row.text for row in rows if row.hits == 2} == matched
    assert {row.text for row in rows if row.decided == 2} == decided
    assert {row.text for row in rows if row.last_match} == matched
    assert {row.text for row in rows if row.last_decided} == decided


def test_of_one_text_in_two_scopes_one_rule_decides(cast: Cast) -> None:
    Rule.objects.all().delete()
    Rule.objects.create(scope="site", family="allow", text="Bash(ls *)")
    Rule.objects.create(scope="person", user=cast.alice, family="allow", text="Bash(ls *)")
    policy = rules_for(cast.access(cast.alice).place, "maia").policy

    count_matches(policy.evaluate("Bash", {"command": "ls -l && ls"}, CONTEXT))

    assert sorted(Rule.objects.values_list("decided", flat=True)) == [0, 1]
