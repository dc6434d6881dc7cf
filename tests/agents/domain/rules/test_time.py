"""`time`: bash's keyword measures what stands behind it; the program of that name starts it."""

from __future__ import annotations

import pytest

from agents.domain.rules.policy import Policy
from agents.domain.rules.powers import powers

BOTH = ("Bash(pytest *)", "Bash(time *)")


def _family(command: str, allow: tuple[str, ...], deny: tuple[str, ...] = ()) -> str:
    return Policy.of(allow=allow, deny=deny).evaluate("Bash", {"command": command}).family


@pytest.mark.parametrize(
    "command",
    [
        "time pytest -q", "time -p pytest -q", "time -- pytest", "time -p -- pytest", "time",
        "time { pytest; }", "time (pytest a; pytest b)", "time pytest a | pytest b",
        "! time pytest",
        "time ! pytest", "pytest && time pytest -x", "if time pytest; then pytest; fi",
        "time \\\n -p pytest", "time pytest 2>&1", "time pytest 'é' # ü", "pytest é; time pytest",
        "for f in a b; do time pytest $f; done",
    ],
)  # fmt: skip
def test_the_keyword_and_the_command_are_covered_each_by_its_rule(command: str) -> None:
    assert _family(command, BOTH) == "allow"
    assert _family(command, BOTH[:1]) == "ask"
    assert command == "time" or _family(command, BOTH[1:]) == "ask"
    assert _family(command, ("Bash",)) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "time evil", "time -v pytest", "time -p -p pytest", "time -- -p pytest", "time '-p' pytest",
        "pytest a | time pytest b", "pytest a |\n time pytest b", "A=1 time pytest",
        "time A=1 pytest",
        ">/dev/null time pytest", "\\time pytest", "'time' pytest", "/usr/bin/time pytest",
        "time\\\npytest", "time pytest > out", "coproc time pytest", "time $x", "time $(pytest)",
        "time time pytest", "time | pytest", "time && pytest", "pytest | time -o out pytest",
    ],
)  # fmt: skip
def test_what_is_not_the_keyword_or_starts_something_else_is_asked_about(command: str) -> None:
    assert _family(command, BOTH) == "ask"


@pytest.mark.parametrize(
    ("rule", "command", "expected"),
    [
        ("Bash(time pytest *)", "time pytest -q", "allow"),
        ("Bash(time -p pytest *)", "time -p pytest -q", "allow"),
        ("Bash(time pytest *)", "time -p pytest -q", "ask"),
        ("Bash(time pytest *)", "pytest -q", "ask"),
        ("Bash(time pytest)", "time pytest", "allow"),
        ("Bash(time sudo x)", "time sudo x", "allow"),
        ("Bash(time sudo *)", "time sudo x", "ask"),
        ("Bash(time *)", "time rm -rf build", "ask"),
        ("Bash(time * build)", "time rm -rf build", "ask"),
        ("Bash(t* -rf build)", "time rm -rf build", "ask"),
        ("Bash(\\time -v wc)", "\\time -v wc", "allow"),
        ("Bash(/usr/bin/time -v wc)", "/usr/bin/time -v wc", "allow"),
        ("Bash(echo | time wc)", "echo | time wc", "allow"),
    ],
)  # fmt: skip
def test_one_rule_may_name_both(rule: str, command: str, expected: str) -> None:
    assert _family(command, (rule,)) == expected


@pytest.mark.parametrize("deny", ["time *", "time", "evil *", "time evil *", "time -p evil *"])
def test_a_deny_of_either_or_both_is_seen(deny: str) -> None:
    assert _family("time -p evil x", ("Bash",), (f"Bash({deny})",)) == "deny"


def test_a_rule_for_the_keyword_runs_nothing() -> None:
    assert powers(["Bash(time *)", "Bash(time -p *)"]) == ()
    assert powers(["Bash(time npm *)"]) == ("npm",)
