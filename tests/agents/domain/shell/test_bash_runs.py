"""The policy beside bash itself: nothing runs that no rule covers.

Lines are generated, those the policy allows are run by the real bash, whose PATH holds only stubs
that record their name; inside bubblewrap where there is one.
"""

from __future__ import annotations

import random

import pytest

from agents.domain.rules.policy import Policy
from tests.support.bash_box import WORK, BashBox

FRAGMENTS = [
    "good", "fine", "evil", " ", " ", "\t", "\n", ";", "&&", "||", "|", "|&", "&", "(", ")", "{ ",
    "; }", "'", '"', "\\", "\\\n", "$", "`", "$(", "<(", ">(", "${", "$((", "((", "))", "[[ ",
    " ]]", "<<E\n", "\nE\n", "<<'E'\n", "<<<", ">", "> out/a", ">>", ">&", "2>&1", "&>", "<",
    "if ", "then ", "fi", "else ", "while ", "do ", "done", "for x in a", "; do ", "case a in a)",
    ";;", "esac", "function f ", "f()", "! ", "time ", "coproc ", "A=1 ", "a[0]=", "#", " #", "$'",
    "\\'", '$"', "\x0b", "\r", "\xa0", "é", "*", "?", "[", "{good,evil}", "~", "=", "-x", "--",
    "eval ", "exec ", "command ", "declare ", "test -v ", "[ ", "printf -v ", "let ", "}", "in ",
    ":", "@(", "a[$(evil)]", "'a[$(evil)]'", "$[", "E\n", "{fd}>", "\\$", "\\`", "${x:-", "${x@P}",
    ">&'$(evil)'", "<<<'$(evil)'", "trap ", "read ", "local ", "select ", "until ", "&>>", ">|",
]  # fmt: skip
STARTS = ["good ", "fine; ", "good | ", "good \\\n", "good '", 'good "', "good && ", "good #", ""]
ENDS = [" evil", "; evil", "\nevil", "'; evil", "\nE\nevil", "|evil", "`evil`", "$(evil)", "", ""]


BOX = BashBox()


def _lines(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [
        chance.choice(STARTS)
        + "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 7)))
        + chance.choice(ENDS)
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_what_an_allow_lets_through_runs_only_what_it_covers(seed: int) -> None:
    policy = Policy.of(allow=["Bash(good *)", "Bash(fine *)", "Redirect(out/*)"])
    allowed = [
        line
        for line in _lines(seed, 1_500)
        if policy.evaluate("Bash", {"command": line}).family == "allow"
    ]
    assert len(allowed) > 15, "the generator makes too few lines that are allowed"
    for ran in BOX.run(allowed):
        assert ran.stubs <= {"good", "fine"}, ran
        assert all(file.startswith(f"{WORK}/out/") for file in ran.changed), ran


@pytest.mark.parametrize("seed", range(4))
def test_what_a_deny_forbids_does_not_run_under_a_bare_allow(seed: int) -> None:
    policy = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)"])
    allowed = [
        line
        for line in _lines(100 + seed, 1_500)
        if "evil" in line and policy.evaluate("Bash", {"command": line}).family == "allow"
    ]
    assert [ran for ran in BOX.run(allowed) if "evil" in ran.stubs] == []


@pytest.mark.parametrize(
    "line",
    ["good >& '$(evil)'", "good >&'a[`evil`]'", "test -v 'a[$(evil)]'", "printf -v 'a[$(evil)]' x",
     "[[ 'a[$(evil)]' -eq 1 ]]", "e\\\nvil", "good <<E\n$(evil)\nE", "$'\\x65vil'", "{evil,x}"],
)  # fmt: skip
def test_what_bash_runs_out_of_hiding_is_never_allowed(line: str) -> None:
    assert "evil" in BOX.run([line])[0].stubs, "bash no longer runs this: the case can go"
    policy = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)"])
    assert policy.evaluate("Bash", {"command": line}).family == "deny"
