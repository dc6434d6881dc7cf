"""What "allow always" offers, narrowest first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.offers import MAX_WIDER, offers
from agents.domain.rules.policy import Policy, PolicyContext
from agents.domain.rules.text import split_rules
from agents.domain.shell.bash import analyse
from agents.domain.shell.programs import table
from tests.agents.domain.rules.rule_cases import CASES, CONTEXT


def _written(tool: str, input: dict[str, Any]) -> list[tuple[str, ...]]:
    return [(offer.rule, *offer.also) for offer in offers(tool, input)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm publish", [("Bash(npm publish)",)]),
        ("git lfs pull", [("Bash(git lfs pull)",)]),
        ("docker ps -a", [("Bash(docker ps -a)",), ("Bash(docker ps *)",)]),
        ("ls && ./x.sh", [("Bash(ls && ./x.sh)",)]),
        ("git status --short", [("Bash(git status --short)",), ("Bash(git status *)",)]),
        ("rm -rf build", [("Bash(rm -rf build)",)]),
        ("sudo ls", [("Bash(sudo ls)",)]),
        ("X=1 make", [("Bash(X=1 make)",)]),
        (
            "ls && wc x",
            [
                ("Bash(ls && wc x)",),
                ("Bash(ls *)", "Bash(wc x *)"),
                ("Bash(ls *)", "Bash(wc *)"),
            ],
        ),
        (
            "date > a.txt",
            [("Bash(date > a.txt)", "Redirect(a.txt)"), ("Bash(date *)", "Redirect(a.txt)")],
        ),
        ("ls *.py", [("Bash=(ls *.py)",), ("Bash(ls *)",)]),
        ("rm '*'", [("Bash=(rm '*')",)]),
        ("ls  a", [("Bash=(ls  a)",), ("Bash(ls a *)",), ("Bash(ls *)",)]),
        ("for f in *; do wc $f; done", [("Bash=(for f in *; do wc $f; done)",), ("Bash(wc *)",)]),
        ("time npm test", [("Bash(time npm test)",)]),
        ("time wc -l", [("Bash(time wc -l)",), ("Bash(time *)", "Bash(wc *)")]),
        ("ls * # 说明\u3000", [("Bash=(ls * # 说明\u3000)",), ("Bash(ls *)",)]),
        ("wc a # b\u00a0", [("Bash(wc a # b\u00a0)",), ("Bash(wc a *)",), ("Bash(wc *)",)]),
        ("echo $(x)", []),
        ("echo 'open", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_command_is_offered_exactly_first(command: str, expected: list[tuple[str, ...]]) -> None:
    assert _written("Bash", {"command": command}) == expected


@pytest.mark.parametrize("tool", ["Write", "Edit"])
@pytest.mark.parametrize(
    "path", [".git/hooks/x", "sub/.git/config", ".vscode/tasks.json", ".envrc"]
)
def test_a_place_that_is_obeyed_unasked_is_offered_alone(tool: str, path: str) -> None:
    assert _written(tool, {"path": path, "content": ""}) == [(f"{tool}({path})",)]
    assert len(_written("Read", {"path": ".git/config"})) > 1


@pytest.mark.parametrize(
    ("tool", "input", "first"),
    [
        ("Read", {"path": "a[1]*.py"}, "Read(a\\[1]\\*.py)"),
        ("Write", {"path": "~/n/x", "content": ""}, "Write(~/n/x)"),
        ("Edit", {"path": "/etc/hosts"}, "Edit(/etc/hosts)"),
        ("Grep", {"pattern": "x"}, "Grep(.)"),
        ("WebFetch", {"url": "https://Ex.org/a"}, "WebFetch(domain:ex.org)"),
        ("Skill", {"name": "report"}, "Skill(report)"),
        ("Skill", {"name": "a*"}, "Skill=(a*)"),
        ("Translate", {"text": "a*b"}, "Translate=(a*b)"),
        ("Agent", {"agent": "doc", "task": "x"}, "Agent(doc)"),
        ("mcp__cal__read", {}, "Mcp(cal,read)"),
        ("Translate", {"lang": "fr"}, "Translate(fr)"),
        ("TodoWrite", {"todos": []}, "TodoWrite"),
    ],
)
def test_each_tool_has_its_own_offer(tool: str, input: dict[str, Any], first: str) -> None:
    assert offers(tool, input, PolicyContext())[0].rule == first


def test_no_pattern_is_offered_for_a_program_that_can_run_others() -> None:
    for case in CASES:
        for offer in offers(case["tool"], case["input"], CONTEXT) if _is_call(case) else ():
            assert not offer.covers or not offer.runs, case["id"]


@given(st.sampled_from(sorted(name for name in table() if " " not in name)), st.data())
def test_a_program_that_is_not_known_to_stop_at_its_arguments_is_offered_exactly(
    name: str, data: st.DataObject
) -> None:
    rest = data.draw(st.sampled_from(["", " x", " --version", " sub a b", " -q 'a b'"]))
    found = offers("Bash", {"command": name + rest})
    if table()[name].kind == "anything":
        assert [offer.rule for offer in found] in ([], [f"Bash({name}{rest})"])
        assert all(offer.runs == (name,) for offer in found)


def test_every_offer_allows_its_call_and_the_wider_say_what_they_cover() -> None:
    for case in CASES:
        if not _is_call(case):
            continue
        found = offers(case["tool"], case["input"], CONTEXT)
        for offer in found:
            policy = Policy.of(allow=[offer.rule, *offer.also])
            assert policy.evaluate(case["tool"], case["input"], CONTEXT).family == "allow"
        assert len([offer for offer in found if offer.covers]) <= MAX_WIDER
        assert all(offer.covers for offer in found[1:])


def _is_call(case: dict[str, Any]) -> bool:
    return isinstance(case["input"], dict) and isinstance(case["tool"], str)


@given(st.text())
def test_an_exact_offer_covers_nothing_longer(command: str) -> None:
    found = offers("Bash", {"command": command})
    if found and not found[0].covers:
        policy = Policy.of(allow=[found[0].rule, *found[0].also])
        assert policy.evaluate("Bash", {"command": command + " more"}).family != "allow"


_BITS = st.sampled_from(
    [
        *(
            "ls",
            "time",
            "find .",
            "echo",
            "x",
            "*",
            "**",
            "*.py",
            "\\*",
            "\\",
            "\\\\*",
            "'*'",
            '"*"',
        ),
        *(
            "'a  b'",
            "$'a\\'  b'",
            "[*]",
            "=",
            "(",
            ")",
            "{",
            "}",
            ";",
            "&&",
            "|",
            "\n",
            " ",
            "  ",
            "-p",
        ),
        *("for f in", "do", "done", "\t", "# a  b", "<<E\na  b\nE\n", "2>&1", "> o", "\\\n", "é"),
    ]
)
_LINES = st.lists(_BITS, max_size=8).map(" ".join) | st.lists(_BITS, max_size=6).map("".join)


@given(_LINES, st.lists(_LINES, max_size=8), st.data())
def test_an_exact_offer_allows_that_command_and_no_other(
    command: str, others: list[str], data: st.DataObject
) -> None:
    found = offers("Bash", {"command": command})
    if not found or found[0].covers:
        return
    rules = [found[0].rule, *found[0].also]
    assert all(split_rules(rule) == [rule] for rule in rules if "\n" not in rule)
    policy = Policy.of(allow=rules)
    assert policy.evaluate("Bash", {"command": command}).family == "allow"
    at = data.draw(st.integers(0, len(command)))
    changed = [command[:at] + bit + command[at:] for bit in (" ", "*", "\\", "a", "  ")]
    for other in (*others, *changed, command.replace("*", "x"), command.replace("  ", " ")):
        if policy.evaluate("Bash", {"command": other}).family == "allow":
            assert _is_the_same(command, other), (command, other)


def _is_the_same(command: str, other: str) -> bool:
    """The same line, or one that runs the command of the other, and nothing else."""
    if command.strip() == other.strip():
        return True
    runs = {part.written for part in analyse(command).parts}
    return {part.written for part in analyse(other).parts} <= runs and len(runs) == 1


@given(st.sampled_from(["Skill", "Translate"]), st.text(), st.text())
def test_an_exact_offer_of_a_text_is_about_this_text(tool: str, text: str, other: str) -> None:
    key = "name" if tool == "Skill" else "text"
    for offer in offers(tool, {key: text})[:1]:
        if offer.covers and offer.code == "tool":
            continue
        policy = Policy.of(allow=[offer.rule])
        assert policy.evaluate(tool, {key: text}).family == "allow"
        if other.removeprefix("§") != text.removeprefix("§"):
            assert policy.evaluate(tool, {key: other}).family != "allow"
