"""`Tool=(text)`: a rule about a text in which no sign has a meaning, `*` neither."""

from __future__ import annotations

import pytest

from agents.domain.rules.policy import Policy
from agents.domain.rules.powers import powers
from agents.domain.rules.shadows import shadow_finder
from agents.domain.rules.text import PermissionRule, RuleProblem, parse_rule, split_rules
from agents.domain.rules.verdict import RuleEntry

FIND = "find . -name '*.pyc'"


def _family(command: str, allow: str, deny: str = "Skill") -> str:
    return Policy.of(allow=[allow], deny=[deny]).evaluate("Bash", {"command": command}).family


def test_the_text_stands_for_itself() -> None:
    parsed = parse_rule(f"Bash=({FIND})")
    assert parsed == PermissionRule("Bash", FIND, is_verbatim=True)
    assert isinstance(parsed, PermissionRule)
    assert parsed.text == f"Bash=({FIND})"
    assert split_rules(f"Bash=({FIND})\nBash=(for f in *; do\nwc $f\ndone)\nRead") == [
        f"Bash=({FIND})", "Bash=(for f in *; do\nwc $f\ndone)", "Read",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Bash=()", "rule-empty"),
        ("Bash=(a", "rule-open"),
        ("Bash=", "rule-shape"),
        ("Bash==(a)", "rule-shape"),
        ("Read=(a*)", "rule-verbatim"),
        ("Redirect=(a*)", "rule-verbatim"),
        ("WebFetch=(domain:a)", "rule-verbatim"),
        ("Mcp=(a)", "rule-verbatim"),
    ],
)
def test_what_is_no_such_rule_says_why(text: str, code: str) -> None:
    problem = parse_rule(text)
    assert isinstance(problem, RuleProblem)
    assert problem.code == code


@pytest.mark.parametrize(
    ("rule", "command", "expected"),
    [
        (f"Bash=({FIND})", FIND, "allow"),
        (f"Bash=({FIND})", f"{FIND} | {FIND}", "allow"),
        (f"Bash=({FIND})", "find . -name 'x.pyc'", "ask"),
        (f"Bash=({FIND})", f"{FIND} -delete", "ask"),
        ("Bash=(ls *)", "ls", "ask"),
        ("Bash=(ls *)", "ls a", "ask"),
        ("Bash=(ls *)", "ls *", "allow"),
        ("Bash=(*)", "ls", "ask"),
        ("Bash=(ls  a)", "ls a", "ask"),
        ("Bash=(ls  a)", "ls  a", "allow"),
        # what stood in rules before means what it meant
        ("Bash(ls \\*)", "ls \\x", "allow"),
        ("Bash(ls \\*)", "ls *", "ask"),
        ("Bash(echo [*])", "echo [x]", "allow"),
        ("Bash(ls *)", "ls", "allow"),
        ("Bash(a  b)", "a b", "allow"),
    ],
)
def test_an_allow_covers_the_text_alone(rule: str, command: str, expected: str) -> None:
    assert _family(command, rule) == expected


@pytest.mark.parametrize(
    ("rule", "command", "expected"),
    [
        ("Bash=(rm *)", "rm *", "deny"),
        ("Bash=(rm *)", 'rm "*"', "deny"),
        ("Bash=(rm *)", "sudo rm *", "deny"),
        ("Bash=(rm *)", "rm a", "allow"),
        (f"Bash=({FIND})", 'find . -name "*.pyc"', "deny"),
        ("Bash=(ls * | wc)", "ls *|wc", "deny"),
        ("Bash=(ls * | wc)", "ls a | wc", "allow"),
        ("Bash=(ls * # é)", "ls * # e\u0301\n", "deny"),
        ("Bash(ls # x)", " ls # x", "deny"),
    ],
)
def test_a_deny_sees_the_text_however_it_is_quoted(rule: str, command: str, expected: str) -> None:
    assert (_family(command, "Bash", rule) == "deny") == (expected == "deny")


@pytest.mark.parametrize(
    ("tool", "input"), [("Skill", {"name": "a*"}), ("Translate", {"text": "a*"})]
)
def test_names_and_values_too(tool: str, input: dict[str, str]) -> None:
    other = dict.fromkeys(input, "ab")
    for family in ("allow", "deny"):
        policy = Policy([RuleEntry(family, f"{tool}=(a*)")])
        assert policy.evaluate(tool, input).family == family
        assert policy.evaluate(tool, other).family == "ask"


@pytest.mark.parametrize(
    ("deny", "allow", "is_shadowed"),
    [
        ("Bash(find *)", f"Bash=({FIND})", True),
        ("Bash=(find *)", "Bash(find *)", False),
        ("Bash=(find *)", "Bash=(find *)", True),
        ("Bash=(find *)", "Bash(find x)", False),
        ("Bash=(*)", "Bash(ls)", False),
        ("Skill(a*)", "Skill=(a*)", True),
        ("Skill=(a*)", "Skill(a*)", False),
        ("Skill=(a*)", "Skill(ab)", False),
        ("Skill=(a*)", "Skill=(a*)", True),
        ("Skill=(a)", "Skill(a)", True),
        ("Skill=(*)", "Skill(x)", False),
    ],
)
def test_what_covers_it_is_found(deny: str, allow: str, is_shadowed: bool) -> None:
    found = shadow_finder([RuleEntry("deny", deny)]).shadowed_by(allow)
    assert found == (deny if is_shadowed else "")


def test_its_powers_are_those_of_its_programs() -> None:
    assert powers([f"Bash=({FIND})"]) == ()
    assert powers(["Bash=(npm run '*')"]) == ("npm",)
