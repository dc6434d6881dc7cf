"""Seed M §9.2 to §9.4, sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from agents.domain.rules.policy import Policy, PolicyContext
from agents.tools.registry import builtin_tools

HERE = PolicyContext(root="/ws/alice", home="/home/alice")
INPUTS = {
    "Bash": {"command": "ls"},
    "WebFetch": {"url": "https://example.org/"},
    "Skill": {"name": "review"},
}
FILE = {"path": "src/a.py", "pattern": "*", "content": ""}


def decided(
    tool: str,
    input: Mapping[str, object],
    *,
    allow: Sequence[str] = (),
    ask: Sequence[str] = (),
    deny: Sequence[str] = (),
) -> str:
    return Policy.of(allow, ask, deny).evaluate(tool, input, HERE).family


def ran(command: str, *allow: str, deny: Sequence[str] = ()) -> str:
    return decided("Bash", {"command": command}, allow=allow, deny=deny)


@pytest.mark.parametrize(
    ("allow", "ask", "deny", "family"),
    [
        (["Bash(ls -la)"], ["Bash(ls -la)"], ["Bash"], "deny"),
        (["Bash(ls -la)"], ["Bash"], [], "ask"),
        ([], ["Bash(ls -la)"], ["Bash(ls *)"], "deny"),
        (["Bash(ls *)"], [], [], "allow"),
    ],
)
def test_the_first_family_that_matches_decides_however_precise_the_others_are(
    allow: list[str], ask: list[str], deny: list[str], family: str
) -> None:
    assert decided("Bash", {"command": "ls -la"}, allow=allow, ask=ask, deny=deny) == family


def test_without_a_rule_every_tool_asks_whatever_it_asks_by_default() -> None:
    tools = builtin_tools()
    assert {tool.default_permission for tool in tools} == {"auto", "ask"}
    for name in (*(tool.spec.name for tool in tools), "Skill", "Addition", "mcp__server__tool"):
        assert decided(name, INPUTS.get(name, FILE)) == "ask"
        assert decided(name, INPUTS.get(name, FILE), allow=[name]) == "allow"


@pytest.mark.parametrize(
    ("rule", "command", "family"),
    [
        ("Bash(git *)", "git", "allow"),
        ("Bash(git *)", "git status -s", "allow"),
        ("Bash(git *)", "gitk", "ask"),
        ("Bash(ls)", "ls", "allow"),
        ("Bash(ls)", "ls -la", "ask"),
        ("Bash(ls * src)", "ls -l -a src", "allow"),
        ("Bash(ls * src)", "ls -l -a lib", "ask"),
        ("Bash", "ls", "allow"),
    ],
)
def test_a_bash_pattern_is_about_the_command(rule: str, command: str, family: str) -> None:
    assert ran(command, rule) == family


@pytest.mark.parametrize("tool", ["Read", "Write", "Edit", "Glob", "Grep"])
def test_a_pattern_of_a_file_tool_is_about_the_path_from_the_workspace(tool: str) -> None:
    for path, family in (("src/a.py", "allow"), ("src/b/c.py", "allow"), ("lib/a.py", "ask")):
        searched = {"path": path.rpartition("/")[0], "pattern": "*.py"}
        input = searched if tool in ("Glob", "Grep") else {**FILE, "path": path}
        assert decided(tool, input, allow=[f"{tool}(src/**)"]) == family
    assert decided(tool, {**FILE, "path": "src"}, allow=[f"{tool}(src/*.py)"]) == "ask"


@pytest.mark.parametrize(
    ("rule", "host", "family"),
    [
        ("domain:example.org", "example.org", "allow"),
        ("domain:example.org", "docs.example.org", "ask"),
        ("domain:*.example.org", "docs.example.org", "allow"),
        ("domain:*.example.org", "example.org", "ask"),
        ("domain:example.org", "example.org.evil.net", "ask"),
    ],
)
def test_a_web_pattern_is_about_the_host(rule: str, host: str, family: str) -> None:
    assert decided("WebFetch", {"url": f"https://{host}/x"}, allow=[f"WebFetch({rule})"]) == family


def test_a_pattern_of_skill_is_about_its_name_and_of_other_tools_about_a_value() -> None:
    assert decided("Skill", {"name": "review"}, allow=["Skill(review)"]) == "allow"
    assert decided("Skill", {"name": "deploy"}, allow=["Skill(review)"]) == "ask"
    for rule, family in (("Add(five)", "allow"), ("Add(fi*)", "allow"), ("Add(six)", "ask")):
        assert decided("Add", {"first": "five", "second": "x"}, allow=[rule]) == family


PLACES = [
    "{}", "ls && {}", "ls || {}", "ls; {}", "ls | {}", "{} | ls", "ls & {}", "ls $({})", "ls `{}`",
    "({})", "{{ {}; }}", "ls <({})", "if ls; then {}; fi",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("family", ["deny", "ask"])
def test_one_part_is_enough_for_deny_and_ask(place: str, family: str) -> None:
    command = {"command": place.format("rm x")}
    rule = ["Bash(rm *)"]
    found = (
        decided("Bash", command, allow=["Bash"], deny=rule)
        if family == "deny"
        else decided("Bash", command, allow=["Bash"], ask=rule)
    )
    assert found == family


def test_an_allow_needs_every_part() -> None:
    for between in ("&&", "||", ";", "|"):
        assert ran(f"ls -l {between} cat a", "Bash(ls *)") == "ask"
        assert ran(f"ls -l {between} cat a", "Bash(ls *)", "Bash(cat *)") == "allow"


@pytest.mark.parametrize("command", ["ls $(cat a)", "ls `cat a`", "ls <(cat a)", "ls >(cat)"])
def test_an_allow_never_covers_a_substitution(command: str) -> None:
    exact = f"Bash({command})"
    assert ran(command, "Bash", "Redirect", "Bash(ls *)", "Bash(cat *)", exact) == "ask"


@pytest.mark.parametrize("sign", [">", ">>", "2>", "&>", ">|", ">&", "&>>", "1>"])
def test_a_redirection_needs_a_rule_of_its_own(sign: str) -> None:
    command = f"ls {sign} out/a.txt"
    assert ran(command, "Bash(ls *)") == "ask"
    assert ran(command, "Bash(ls *)", "Redirect(lib/*)") == "ask"
    assert ran(command, "Bash(ls *)", "Redirect(out/*)") == "allow"
    assert ran(command, "Bash(ls *)", "Redirect") == "allow"
    assert ran(command, "Redirect") == "ask"  # the command is not covered
    assert ran(command, "Bash", "Redirect", deny=["Redirect(out/*)"]) == "deny"


@pytest.mark.parametrize("command", ["ls 2>&1", "ls >&2", "ls 2>&-"])
def test_a_copied_descriptor_is_no_file(command: str) -> None:
    assert ran(command, "Bash(ls *)") == "allow"


@pytest.mark.parametrize("target", ["$OUT", "out/*.txt", "out/?", "out/[ab]", "out/{a,b}"])
def test_a_target_that_bash_decides_needs_a_rule_for_all(target: str) -> None:
    assert ran(f"ls > {target}", "Bash(ls *)", "Redirect(**)") == "ask"
    assert ran(f"ls > {target}", "Bash(ls *)", "Redirect") == "allow"


@pytest.mark.parametrize("command", ["ls > 'out", 'ls > "out', "ls >"])
def test_what_cannot_be_read_asks(command: str) -> None:
    assert ran(command, "Bash", "Redirect") == "ask"


def test_a_quoted_sign_is_no_redirection() -> None:
    for command in ("ls '> out'", 'ls "> out"', "ls \\> out"):
        assert ran(command, "Bash(ls *)") == "allow"
