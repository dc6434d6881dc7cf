"""Lines made to take long: the work on them is bounded, and nothing of them is allowed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.domain.rules.bash import MAX_COMPARISONS
from agents.domain.rules.policy import Policy
from agents.domain.shell.bash import MAX_CHUNKS, analyse, read_script
from agents.domain.shell.values import COMMAND_EFFORT, MAX_EFFORT

POLICY = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)", "Redirect(**/*.pem)"])

HOSTILE = {
    "commands": "good;" * 13_000,
    "words": "good " + "a " * 30_000,
    "quoted words": "good " + "'a' " * 15_000,
    "escapes": "good " + "\\a" * 30_000,
    "wildcards": "good " + "* " * 30_000,
    "variables": "good " + "$X " * 20_000,
    "redirections": "good " + ">a " * 20_000,
    "folders times subshells": "(cd a; ./x);" * 250 + "cd b;" * 100,
    "programs among the arguments": "good " + "/bin/x " * 8_000,
    "folders times targets": "cd a;" * 400 + "good > x;" * 500,
    "here-documents": "good " + "<<E " * 5_000 + "\n" + "E\n" * 5_000,
    "expansions in a here-document": "good <<E\n" + "$x " * 20_000 + "\nE",
    "parentheses": "(" * 60_000,
    "arithmetic": "good $((" + "(" * 60_000,
    "substitutions": "$(" * 30_000,
    "double quotes": '"$(' * 20_000,
    "backticks": "`" * 60_000,
    "braces": "${x:-" * 12_000,
    "wrappers": "sudo " * 12_000 + "x",
    "options of wrappers": "sudo " + "--a " * 15_000,
    "evals": "eval " * 12_000 + "x",
    "actions": "find . " + "-exec a {} \\; " * 4_000,
    "subscripts": "test " + "'a[$(x)]' " * 5_000,
    "times": "time " * 12_000,
    "brackets": "good " + "[" * 30_000 + "]" * 30_000,
    "assignments": "a=1 " * 16_000,
    "folders times files": "cd a;" * 25 + "tee " + "w " * 2_000,
    "a megabyte": "good; fine0; " * 90_000,
    "a megabyte of one word": "a" * 1_000_000,
    "a megabyte of line breaks": "\n" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_takes_long_to_examine_asks(name: str) -> None:
    assert POLICY.evaluate("Bash", {"command": HOSTILE[name]}).family == "ask"


@pytest.mark.parametrize("name", [name for name in HOSTILE if not name.startswith("a megabyte")])
def test_no_line_is_read_for_longer_than_its_effort(name: str) -> None:
    line = HOSTILE[name]
    assert read_script(line).effort <= MAX_EFFORT + 2 * line.count("$") + COMMAND_EFFORT
    found = analyse(line)
    assert len(found.parts) + len(found.nested) <= MAX_CHUNKS + MAX_EFFORT


def test_a_deny_is_found_at_the_end_of_a_megabyte() -> None:
    for line in ("good;" * 250_000 + "evil x", "good\n" * 250_000 + "'evil' x"):
        assert POLICY.evaluate("Bash", {"command": line}).family == "deny"


def test_too_many_comparisons_ask() -> None:
    policy = Policy.of(allow=["Bash"], deny=[f"Bash(*x{n}*)" for n in range(3_000)])
    assert policy.evaluate("Bash", {"command": "good; fine"}).family == "allow"
    line = "; ".join(f"good{n}" for n in range(MAX_COMPARISONS // 3_000 + 1))
    assert policy.evaluate("Bash", {"command": line}).code == "too-long"


def test_an_awk_program_of_many_words_is_read_in_one_pass() -> None:
    line = "awk '" + "print " * 10_000 + "'"
    assert Policy.of(allow=["Bash(awk *)"]).evaluate("Bash", {"command": line}).family == "allow"


@pytest.mark.parametrize(
    "sign", ["𴀀", "\U00031860", "\U00054000", "\U000a6000", "😀", "é", "\xa0"]
)
def test_no_character_behind_a_brace_ends_the_process(sign: str) -> None:
    """Tree-sitter's grammar looks such a character up beyond the end of a table."""
    program = (
        "import sys\n"
        "from agents.domain.rules.policy import Policy\n"
        "for text in sys.argv[1:]:\n"
        "    Policy.of(allow=['Bash']).evaluate('Bash', {'command': text})\n"
    )
    lines = [f"{{{sign}", f"echo {{{sign}", f"{{ ls; }} # {sign}", f"{{'{sign}", f"${{{sign}"]
    ended = subprocess.run([sys.executable, "-c", program, *lines], check=False, timeout=60)
    assert ended.returncode == 0
