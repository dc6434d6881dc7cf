"""Settings files, cases and what is typed into the tester: any text is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.call_digest import call_digest
from agents.domain.rules.cases import CaseError, read_cases, run_cases
from agents.domain.rules.files import FileProblem, read_rule_file, rule_lists
from agents.domain.rules.policy import Policy, RuleEntry
from agents.domain.rules.tried_input import input_from_text, missing_field, text_from_input

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(st.binary())
def test_any_bytes_are_read(content: bytes) -> None:
    file = read_rule_file(".maia/settings.json", content, "workspace")
    assert len(file.sha256) == 64
    assert all(problem.sentence() for problem in file.problems)


@given(st.fixed_dictionaries({"permissions": json_values}) | json_values)
def test_any_json_is_read(value: object) -> None:
    file = read_rule_file("x", json.dumps(value).encode(), "workspace")
    assert not Policy(file.entries).invalid


@given(st.lists(st.sampled_from(["Bash(ls)", "Read", "Bash(", "", "x" * 20_000])))
def test_each_bad_entry_is_named_and_the_others_stay(texts: list[str]) -> None:
    file = read_rule_file("x", json.dumps({"permissions": {"ask": texts}}).encode(), "person")
    good = [text for text in texts if text in ("Bash(ls)", "Read")]
    assert [entry.text for entry in file.of("ask")] == good
    assert len(file.problems) == len(texts) - len(good)


def test_a_deny_that_cannot_be_examined_is_named_and_asks() -> None:
    deny = ["Write(" + "{a/,b/}" * 9 + ")", "Bash(open", 7]
    file = read_rule_file("x", json.dumps({"permissions": {"deny": deny}}).encode(), "person")
    assert [one.code for one in file.problems] == ["rule-wide", "rule-open", "rule-not-text"]
    policy = Policy((*file.entries, *file.unexamined, RuleEntry("allow", "Write")))
    verdict = policy.evaluate("Write", {"path": "c", "content": ""})
    assert (verdict.code, verdict.rule, verdict.origin) == ("rule-unexamined", deny[0], "x")


@pytest.mark.parametrize(
    "text",
    [
        '{"permissions": {"deny": ["Read(a)"], "allow": ["Read"], "deny": ["Read(b)"]}}',
        '{"permissions": {"deny": ["Read(a)"]}, "permissions": {"deny": ["Read(b)"]}}',
    ],
)
def test_a_list_that_stands_twice_is_named_and_forbids_what_both_do(text: str) -> None:
    file = read_rule_file("x", text.encode(), "person")
    assert [entry.text for entry in file.of("deny")] == ["Read(a)", "Read(b)"]
    assert {one.code for one in file.problems} == {"file-twice"}


def test_what_is_cut_from_a_long_deny_list_asks() -> None:
    deny = [*(f"Bash(make {number})" for number in range(10_000)), "Read(secret)"]
    file = read_rule_file("x", json.dumps({"permissions": {"deny": deny}}).encode(), "person")
    policy = Policy((*file.entries, *file.unexamined, RuleEntry("allow", "Read")))
    assert policy.evaluate("Read", {"path": "secret"}).family == "ask"


def test_a_file_of_twenty_thousand_rules_is_cut_and_says_so() -> None:
    texts = [f"Bash(make {number})" for number in range(20_000)]
    file = read_rule_file("x", json.dumps({"permissions": {"deny": texts}}).encode(), "person")
    assert len(file.entries) == 10_000
    assert [problem.code for problem in file.problems] == ["file-many"]


@given(st.text())
def test_any_text_is_cases_or_names_its_line(text: str) -> None:
    lines = range(1, text.count("\n") + 2)
    try:
        run_cases(read_cases(text), Policy.of(allow=["Bash"]))
    except CaseError as error:
        named = error.line
    else:
        named = 1
    assert named in lines


@given(json_values.filter(lambda value: isinstance(value, dict)))
def test_any_case_has_a_verdict(case: dict[str, Any]) -> None:
    (result,) = run_cases([{**case, "expect": "ask"}], Policy([]))
    assert result.verdict.family in ("allow", "ask", "deny")


@given(st.text(), st.text())
def test_any_typed_call_is_an_input(tool: str, text: str) -> None:
    assert isinstance(input_from_text(tool, text), dict)


@given(st.text())
def test_a_typed_command_is_the_command(text: str) -> None:
    typed = text_from_input("Bash", {"command": text})
    assert input_from_text("Bash", typed) == {"command": text}
    assert typed == text or text.lstrip().startswith("{")


@pytest.mark.parametrize(
    ("tool", "input", "missing"),
    [
        ("Read", {"file": "a"}, "path"),
        ("Read", {"path": "a"}, ""),
        ("Bash", {"command": 7}, "command"),
        ("Skill", {"skill": "deploy"}, ""),
        ("Agent", {}, "agent"),
        ("Grep", {"pattern": "x"}, ""),
        ("Addition", {}, ""),
    ],
)
def test_the_field_that_is_missing_is_named(tool: str, input: dict[str, Any], missing: str) -> None:
    assert missing_field(tool, input) == missing


def test_an_entry_that_is_no_text_is_named_as_it_was_written() -> None:
    found = rule_lists({"allow": [7, None, {"a": [True]}]}, "site")
    assert [one.entry for one in found if isinstance(one, FileProblem)] == [
        "7", "null", '{"a": [true]}',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "text", "input"),
    [
        ("Read", " a.py ", {"path": "a.py"}),
        ("bash", "{ ls; }", {"command": "{ ls; }"}),
        ("Bash", '{"command": "cat x"}', {"command": "cat x"}),
        ("WebFetch", "https://example.org/", {"url": "https://example.org/"}),
        ("Addition", '{"a": 1}', {"a": 1}),
        ("Addition", "{oops", {"value": "{oops"}),
        ("Skill", "deploy", {"name": "deploy"}),
    ],
)
def test_what_is_typed_becomes_the_field_that_rules_look_at(
    tool: str, text: str, input: dict[str, Any]
) -> None:
    assert input_from_text(tool, text) == input


@given(st.dictionaries(st.text(), st.text() | st.integers(), max_size=5), st.text())
def test_a_digest_depends_on_everything_and_not_on_order(input: dict[str, Any], more: str) -> None:
    turned = dict(reversed(list(input.items())))
    digest = call_digest("t", "Bash", input)
    assert digest == call_digest("t", "Bash", turned)
    assert digest != call_digest("t", "Bash", {**input, "new": more, "x y z": 1})
    assert digest != call_digest("u", "Bash", input)
    assert digest != call_digest("t", "Read", input)
