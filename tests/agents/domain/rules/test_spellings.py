"""Rules see what was received as the tools would read it, even where nobody read it before."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain.rules.offers import offers
from agents.domain.rules.policy import Policy


@pytest.mark.parametrize(
    ("tool", "received", "rule"),
    [
        ("Skill", {"name": "§secret"}, "Skill(secret)"),
        ("Skill", {"skill": " §secret"}, "Skill(secret)"),
        ("read_skill", {"name": "x/secret"}, "Skill(secret)"),
        ("read_skill", {"name": "/secret/"}, "Skill(secret)"),
        ("Read", {"file_path": "secret/k"}, "Read(secret/**)"),
        ("read_file", {"file_path": "secret/k"}, "Read(secret/**)"),
        ("Write", {"path": None, "file_path": "secret/k"}, "Write(secret/**)"),
        ("Glob", {"pattern": "/secret/*"}, "Glob(secret/**)"),
        ("Glob", {"pattern": "//secret/*"}, "Glob(secret/**)"),
        ("Addition", {"n": "5.0"}, "Addition(5)"),
        ("Addition", {"n": [" 5e0"]}, "Addition(5)"),
    ],
)
def test_another_spelling_is_denied_all_the_same(
    tool: str, received: dict[str, Any], rule: str
) -> None:
    policy = Policy.of(allow=[rule.partition("(")[0], tool], deny=[rule])
    assert policy.evaluate(tool, received).family == "deny"


@pytest.mark.parametrize(
    ("tool", "received", "rule"),
    [
        ("Skill", {"name": "§open"}, "Skill(open)"),
        ("Skill", {"skill": "open"}, "Skill(open)"),
        ("Read", {"file_path": "src/a"}, "Read(src/**)"),
        ("write_file", {"file_path": "src/a", "text": "x"}, "Write(src/**)"),
    ],
)
def test_a_harmless_alias_is_allowed_and_offered(
    tool: str, received: dict[str, Any], rule: str
) -> None:
    assert Policy.of(allow=[rule]).evaluate(tool, received).family == "allow"
    assert offers(tool, received)
