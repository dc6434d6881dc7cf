"""What "allow always" offers, narrowest first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.offers import MAX_WIDER, offers
from agents.domain.rules.policy import Policy, PolicyContext
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
        ("ls *.py", [("Bash(ls *)",)]),
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
