"""Properties of the policy: what must hold for every rule and every call."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.policy import Policy, PolicyContext, RuleEntry, RuleProblem, parse_rule
from tests.agents.domain.rules.rule_cases import CASES

TOOLS = ["Bash", "Read", "Glob", "Grep", "WebFetch", "Skill", "Agent", "mcp__a__b", "Add", "bash"]
RULES = [
    "Bash", "Bash(good *)", "Bash(fine)", "Bash(evil *)", "Bash(* x)", "Bash(g*)", "Redirect",
    "Redirect(out/*)", "Read(src/**)", "Read", "Glob(**)", "WebFetch(domain:ex.org)", "Mcp(a)",
    "Skill(*)", "Add(x)", "broken(", "Grep(src)",
]  # fmt: skip
FRAGMENTS = [
    "good", "evil", "fine", " ", "\t", "\n", ";", "&&", "|", "&", "(", ")", "{", "}", "'", '"',
    "\\", "$", "`", "<", ">", "<<E", "\nE\n", "#", "$(", "${", "$((", "[[", "]]", "if", "then",
    "fi", "for x in a", "do", "done", "case", "esac", "in", "A=1", "env ", "sudo ", "bash -c ",
    "find . -exec ", "xargs ", "eval ", "2>&1", "/dev/null", "out/a", "*", "{a,b}", "\x00", "\r",
    "\xa0", "\x0b", "\udc80", "é", "!", "time ", "coproc ", "function ", "~", "=", "-x",
]  # fmt: skip
lines = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join) | st.text(max_size=40)
families = st.sampled_from(["allow", "ask", "deny"])
entries = st.lists(
    st.builds(RuleEntry, families, st.sampled_from(RULES) | st.text(max_size=20)), max_size=8
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | lines
    | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)  # fmt: skip
inputs = values | st.dictionaries(
    st.sampled_from(["command", "path", "pattern", "url", "name", "agent", "x"]), values
)


@given(entries, st.sampled_from(TOOLS) | values, inputs)
def test_evaluating_never_raises(rules: list[RuleEntry], tool: object, input: object) -> None:
    verdict = Policy(rules).evaluate(tool, input)
    assert verdict.family in ("allow", "ask", "deny")
    assert isinstance(verdict.sentence(), str)


@given(st.text() | st.binary() | st.none() | st.integers())
def test_parsing_a_rule_never_raises(text: object) -> None:
    parsed = parse_rule(text)
    if not isinstance(parsed, RuleProblem):
        assert isinstance(text, str)
        assert parsed.text == text.strip(" \t\n")


@given(entries, lines, st.randoms())
def test_the_order_of_rules_is_irrelevant(rules: list[RuleEntry], line: str, random: Any) -> None:
    before = Policy(rules).evaluate("Bash", {"command": line}).family
    random.shuffle(rules)
    assert Policy(rules).evaluate("Bash", {"command": line}).family == before


@given(entries, lines)
def test_one_more_deny_never_loosens(rules: list[RuleEntry], line: str) -> None:
    severity = {"allow": 0, "ask": 1, "deny": 2}
    before = Policy(rules).evaluate("Bash", {"command": line}).family
    for text in RULES:
        stricter = Policy([*rules, RuleEntry("deny", text)])
        assert severity[stricter.evaluate("Bash", {"command": line}).family] >= severity[before]


@given(lines, lines)
def test_more_text_after_a_separator_never_turns_deny_into_allow(line: str, more: str) -> None:
    policy = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)"])
    if policy.evaluate("Bash", {"command": line}).family == "deny":
        for separator in (";", "\n", " && ", " | ", " & "):
            command = line + separator + more
            assert policy.evaluate("Bash", {"command": command}).family != "allow"


@given(st.text(string.ascii_letters, min_size=1, max_size=8), st.data())
def test_quoting_never_turns_a_deny_into_an_allow(word: str, data: st.DataObject) -> None:
    policy = Policy.of(allow=["Bash"], deny=[f"Bash({word} *)"])
    at = data.draw(st.integers(0, len(word)))
    quote = data.draw(st.sampled_from(["'{}'", '"{}"', "$'{}'", "\\{}", "{}\\\n"]))
    piece = quote.format(word[at:]) if at < len(word) else "''"
    keyword = word in {"if", "do", "fi", "in"}
    verdict = policy.evaluate("Bash", {"command": f"{word[:at]}{piece} x"})
    assert verdict.family != "allow" if "\\" in piece or keyword else verdict.family == "deny"


@given(lines)
def test_an_allow_means_that_each_command_is_covered(line: str) -> None:
    policy = Policy.of(allow=["Bash(good *)", "Redirect(out/*)"])
    verdict = policy.evaluate("Bash", {"command": line})
    if verdict.family == "allow":
        commands = [part for part in verdict.parts if part.kind == "command"]
        assert commands
        assert all(part.text.split(" ")[0] == "good" for part in commands)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Bash(a", "rule-open"),
        ("Bash a", "rule-shape"),
        ("Bash(a) b", "rule-shape"),
        ("Bash()", "rule-empty"),
        ("Bash(\x00)", "rule-control"),
        ("Bash(" + "x" * 20_000 + ")", "rule-too-long"),
        ("Read(*/../x)", "rule-climbs"),
        ("Read(" + "{a,b}" * 9 + ")", "rule-wide"),
        ("Read(*/{..,x}/k)", "rule-climbs"),
        ("Read({a,[z-b]}/k)", "rule-set"),
        ("Read([!z-b])", "rule-set"),
        (7, "rule-not-text"),
    ],
)
def test_what_is_no_rule_is_reported_with_its_cause(text: object, code: str) -> None:
    problem = parse_rule(text)
    assert isinstance(problem, RuleProblem)
    assert problem.code == code


def test_invalid_entries_are_kept_apart_and_the_rest_holds() -> None:
    policy = Policy.of(allow=["Bash(", "Bash(ls)", 7], scope="file", origin=".maia/settings.json")
    assert [entry.entry.origin for entry in policy.invalid] == [".maia/settings.json"] * 2
    verdict = policy.evaluate("Bash", {"command": "ls"})
    assert (verdict.family, verdict.rule, verdict.scope) == ("allow", "Bash(ls)", "file")


WIDE = "{a/,b/}" * 9


@pytest.mark.parametrize("family", ["deny", "ask"])
@pytest.mark.parametrize(
    ("rule", "tool", "input"),
    [
        (f"Write({WIDE})", "Write", {"path": "x", "content": ""}),
        (f"Write({WIDE})", "write_file", {"path": "x", "content": ""}),
        (f"Redirect({WIDE})", "Bash", {"command": "ls"}),
        ("Read(*/../x)", "Read", {"path": "x"}),
        ("Bash()", "Bash", {"command": "ls"}),
        ("Bash(rm \x07)", "Bash", {"command": "ls"}),
        ("Bash(" + "x" * 20_000 + ")", "Bash", {"command": "ls"}),
        ("Skill()", "Skill", {"name": "x"}),
        ("Mcp()", "mcp__a__b", {}),
        ("Query( )", "Query", {"text": "x"}),
    ],
)
def test_a_rule_that_cannot_be_examined_asks_where_it_may_mean_something(
    family: str, rule: str, tool: str, input: dict[str, Any]
) -> None:
    allow = ["Bash", "Write", "Read", "Skill", "Mcp", "Query", "WebFetch"]
    lists: dict[str, Any] = {"allow": allow, family: [rule]}
    policy = Policy.of(**lists)
    verdict = policy.evaluate(tool, input)
    assert (verdict.family, verdict.code, verdict.rule) == ("ask", "rule-unexamined", rule)
    assert policy.evaluate("WebFetch", {"url": "https://a.example"}).family == "allow"
    assert Policy.of(allow=[*allow, rule]).evaluate(tool, input).family == "allow"


def test_many_values_are_not_all_examined_so_they_ask() -> None:
    policy = Policy.of(allow=["Query"], deny=["Query(secret)"])
    values = {str(at): "a" for at in range(10_001)}
    assert policy.evaluate("Query", values).family == "ask"


def test_the_part_that_decided_is_named() -> None:
    policy = Policy.of(allow=["Bash(ls *)"], ask=["Bash(git push *)"], scope="workspace")
    asked = policy.evaluate("Bash", {"command": "ls && npm publish"})
    assert (asked.code, asked.part) == ("no-rule", "npm publish")
    assert asked.sentence() == "No rule covers npm publish"
    ruled = policy.evaluate("Bash", {"command": "ls && git 'push' x"})
    assert (ruled.rule, ruled.scope, ruled.part) == (
        "Bash(git push *)",
        "workspace",
        "git 'push' x",
    )


def test_all_matching_rules_and_parts_are_shown() -> None:
    policy = Policy.of(allow=["Bash", "Bash(ls *)", "Redirect(a)"], deny=["Bash(rm *)"])
    verdict = policy.evaluate("Bash", {"command": "ls x > a; sudo rm y"})
    assert [rule.text for rule in verdict.matches] == [
        "Bash(rm *)",
        "Bash",
        "Bash(ls *)",
        "Redirect(a)",
    ]
    assert verdict.targets == ("a",)
    assert [(part.text, part.judged) for part in verdict.parts] == [
        ("ls x", "allow"),
        ("sudo rm y", "special"),
        ("a", "allow"),
    ]


def test_a_policy_takes_the_roots_of_each_call() -> None:
    policy = Policy.of(allow=["Read(~/n/*)", "Read(a)"])
    context = PolicyContext(root="/r", home="/h")
    assert policy.evaluate("Read", {"path": "/h/n/x"}, context).family == "allow"
    assert policy.evaluate("Read", {"path": "/r/a"}, context).family == "allow"
    assert policy.evaluate("Read", {"path": "/workspace/a"}, context).family == "ask"


def test_ten_thousand_rules_and_a_megabyte_are_no_trouble() -> None:
    policy = Policy.of(deny=[f"Bash(tool{n} *)" for n in range(10_000)], allow=["Bash"])
    assert policy.evaluate("Bash", {"command": "ls"}).family == "allow"
    long = "ls;" * 350_000
    assert policy.evaluate("Bash", {"command": long}).family == "ask"
    assert policy.evaluate("Bash", {"command": long + "tool7 x"}).family == "deny"
    assert policy.evaluate("Read", {"path": "x/" * 500_000}).family == "ask"


@pytest.mark.parametrize(
    "opening", ["(", "{ ", "$(", "${", "`", "<(", "if ", "a=(", "f()", "[[ ", "eval ", "((", "$(("]
)
def test_deep_nesting_asks(opening: str) -> None:
    policy = Policy.of(allow=["Bash"])
    assert policy.evaluate("Bash", {"command": opening * 2_000}).family == "ask"


def test_each_kept_case_is_decided_alike_whatever_else_is_allowed_of_other_tools() -> None:
    for case in CASES[::7]:
        rules = {**case["rules"], "allow": [*case["rules"]["allow"], "Other", "Other(x)"]}
        verdict = Policy.of(**rules).evaluate(
            case["tool"], case["input"], PolicyContext("/ws/alice", "/home/alice")
        )
        assert verdict.family in [case["expect"], *case.get("also_ok", [])]
