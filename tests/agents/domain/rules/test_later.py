"""Files that run later by themselves: only a rule that names the place covers writing them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.later import Entry, folded, obeyed_places, table
from agents.domain.rules.offers import offers
from agents.domain.rules.paths import place
from agents.domain.rules.policy import Policy
from agents.domain.rules.verdict import PolicyContext, RuleEntry
from agents.selectors.permissions.policies import BUILT_IN
from tests.agents.domain.rules.later_cases import ASKED, FREE, GENEROUS, PATCHED
from workspaces.domain.real_paths import Real

CODES = ("later", "later-home", "later-unknown")
POLICY = Policy.of(allow=[*GENEROUS, "Write", "Edit", "Write(**)", "Edit(**)", "Write(~/**)"])


def judged(tool: str, text: str, *rules: str, policy: Policy | None = None) -> tuple[str, str]:
    """The verdict and its code."""
    key = "command" if tool == "Bash" else "path"
    verdict = (policy or Policy.of(allow=rules)).evaluate(tool, {key: text, "content": "x"})
    return verdict.family, verdict.code


@pytest.mark.parametrize("command", [*ASKED, PATCHED])
def test_a_command_that_writes_such_a_file_is_asked(command: str) -> None:
    family, code = judged("Bash", command, policy=POLICY)
    assert (family, code in CODES) == ("ask", True), code
    if not set("*>\n") & set(command):
        assert judged("Bash", command, f"Bash({command})")[0] == "allow"


@pytest.mark.parametrize("command", FREE)
def test_everything_else_is_as_free_as_before(command: str) -> None:
    assert judged("Bash", command, policy=POLICY) == ("allow", "rule")


NAMED = [
    (["Write"], "Write", ".git/config", False),
    (["Write(**)"], "Write", ".git/config", False),
    (["Write(*)"], "Write", ".envrc", False),
    (["Write(.*)"], "Write", ".envrc", False),
    (["Write([.]git/**)"], "Write", ".git/config", False),
    (["Write({.git/x,**})"], "Write", ".git/config", False),
    (["Write(.git/**)"], "Write", ".GIT/config", False),
    (["Write(.config/**)"], "Write", ".config/git/config", False),
    (["Write(.husky/**)"], "Write", ".husky/.git/config", False),
    (["Write(~/**)"], "Write", "~/.bashrc", False),
    (["Write(~/**)"], "Write", "~/.npmrc", False),
    (["Edit(**)"], "Edit", "a/.vscode/settings.json", False),
    (["write_file"], "write_file", ".git/config", False),
    (["Bash"], "Bash", "cp a .git/config", False),
    (["Bash(*)", "Redirect(**)"], "Bash", "echo a > .git/config", False),
    (["Bash(cp *)", "Write(.git/**)"], "Bash", "cp a .git/config", False),
    (["Write(.git/**)"], "Write", ".git/config", True),
    (["Write(.git/config)"], "Write", ".git/config", True),
    (["Write(\\.git/config)"], "Write", ".git/config", True),
    (["Write({.git,src}/**)"], "Write", ".git/config", True),
    (["Write(**/.git/**)"], "Write", "sub/.git/config", True),
    (["Write(/workspace/.git/**)"], "Write", ".git/hooks/pre-commit", True),
    (["Write(.husky/**/.git/*)"], "Write", ".husky/.git/config", True),
    (["Write(~/.bashrc)"], "Write", "~/.bashrc", True),
    (["Write(~/.config/git/*)"], "Write", "~/.config/git/config", True),
    (["Edit(**/.vscode/*)"], "Edit", "a/.vscode/settings.json", True),
    (["write_file(.git/*)"], "write_file", ".git/config", True),
    (["Bash(cp *)", "Redirect(.git/**)"], "Bash", "cp a .git/config", True),
    (["Bash(cp * .git/config)"], "Bash", "cp a .git/config", True),
    (["Bash(cp * .git/*)"], "Bash", "cp a .git/config", True),
    (["Bash(cp a .git/config)"], "Bash", "cp a .git/config", True),
    (["Bash(dd * of=.git/*)"], "Bash", "dd if=a of=.git/config", True),
    (["Bash(echo *)", "Redirect(.git/config)"], "Bash", "echo a > .git/config", True),
    (["Write(**)"], "Write", ".npmrc", True),
    (["Write(**)"], "Write", ".gitignore", True),
    (["Write(**)"], "Write", "docs/hooks.md", True),
    (["Read(**)"], "Read", ".git/config", True),
    (["Glob(**)"], "Glob", ".git", True),
]


@pytest.mark.parametrize(("rules", "tool", "text", "is_covered"), NAMED)
def test_only_a_rule_that_writes_the_place_out_covers_it(
    rules: list[str], tool: str, text: str, is_covered: bool
) -> None:
    call = {"pattern": "*", "path": text} if tool == "Glob" else None
    found = Policy.of(allow=rules).evaluate(tool, call) if call else None
    family = found.family if found else judged(tool, text, *rules)[0]
    assert family == ("allow" if is_covered else "ask")


ROADS = ("cp a {}", "mv a {}", "tee {}", "echo x > {}", "install a {}", "truncate -s0 {}")
FOLDERS = st.lists(st.sampled_from(["src", "a-b", "Ünï", "deep", "..x"]), max_size=3)


def _path(entry: Entry, folders: list[str], inside: list[str]) -> str:
    start = {"workspace": [], "home": ["~"]}.get(entry.folder, folders)
    names = [name.replace("*", "x") for name in entry.names]
    return "/".join([*start, *names, *inside])


@given(st.sampled_from(table()), FOLDERS, FOLDERS, st.sampled_from(["Write", "Edit", *ROADS]))
def test_every_place_of_the_table_is_asked_about_on_every_road_until_it_is_named(
    entry: Entry, folders: list[str], inside: list[str], road: str
) -> None:
    path = _path(entry, folders, inside)
    quoted = path if path.startswith("~") and " " not in path else shlex.quote(path)
    if road in ROADS and path.startswith("~") and quoted != path:
        quoted = "~/" + shlex.quote(path[2:])
    tool, text = ("Bash", road.format(quoted)) if road in ROADS else (road, path)
    family, code = judged(tool, text, policy=POLICY)
    assert (family, code in CODES) == ("ask", True), text
    named = (f"Redirect({path})", f"Redirect({path}/*)")
    rules = [*GENEROUS, *named] if tool == "Bash" else [f"{tool}({path})"]
    assert judged(tool, text, *rules)[0] == "allow", text


@given(FOLDERS.filter(bool), st.sampled_from([".gitignore", "git", "config", "x.py", ".env"]))
def test_no_other_path_is_such_a_place(folders: list[str], name: str) -> None:
    path = place("/".join([*folders, name]), PolicyContext())
    assert path is not None
    assert obeyed_places(path) == ()


@given(st.sampled_from([".git", ".Git", ".GIT", ".g\u200cit", ".git ", ".git.", ".git::$DATA"]))
def test_spellings_that_some_file_system_takes_for_the_same_name_are_the_same(name: str) -> None:
    assert folded(name) == ".git"
    assert judged("Write", f"{name}/config", "Write(**)") == ("ask", "later")


def test_what_only_maia_changes_stays_denied_on_every_road() -> None:
    policy = Policy([*BUILT_IN, *(RuleEntry("allow", rule) for rule in GENEROUS)])
    for command in (
        "cp x .maia/settings.json", "mv x ./.maia/settings.json", "echo x | tee ~/.maia/x",
        "cd .maia; cp /workspace/x settings.json", "bash -c 'cp x .maia/settings.json'",
        "cp settings.json .maia", "sed -i s/a/b/ .maia/settings.json", "ln -s x ~/.maia/tools",
    ):  # fmt: skip
        assert judged("Bash", command, policy=policy)[0] == "deny", command
    assert judged("Bash", "cp .maia/settings.json x", policy=policy)[0] == "allow"


def test_the_reason_names_who_obeys_it_and_the_offers_name_the_place() -> None:
    verdict = Policy.of(allow=["Write(**)"]).evaluate("Write", {"path": "sub/.envrc"})
    assert verdict.sentence().startswith("direnv runs or obeys this unasked")
    assert verdict.sentence().endswith(": sub/.envrc")
    for tool, input in (
        ("Write", {"path": "sub/.envrc"}), ("Edit", {"path": ".git/config"}),
        ("Bash", {"command": "cp a .git/config"}), ("Bash", {"command": "echo a > .git/x"}),
    ):  # fmt: skip
        offered = offers(tool, input)
        assert offered
        for one in offered:
            assert any(name in " ".join((one.rule, *one.also)) for name in (".git/", ".envrc"))


def test_every_line_of_the_table_has_a_source_and_no_name_stands_twice() -> None:
    names = [(entry.folder, entry.names) for entry in table()]
    assert len(names) == len(set(names))
    assert all(entry.source and entry.by for entry in table())


@pytest.mark.parametrize(
    ("tool", "text"),
    [("Write", "docs/x"), ("Edit", "docs/x"), ("Bash", "cp evil docs/x"), ("Bash", "tee docs/x"),
     ("Bash", "echo x > docs/x"), ("Bash", "cp config docs")],
)  # fmt: skip
def test_where_a_link_leads_counts(tool: str, text: str) -> None:
    def real(path: str, _reaches: object) -> Real:
        return Real(path.replace("docs/x", ".git/config").replace("docs/config", ".git/config"))

    key = "command" if tool == "Bash" else "path"
    assert judged(tool, text, policy=POLICY)[0] == "allow"
    verdict = POLICY.evaluate(tool, {key: text}, PolicyContext(real=real))
    assert (verdict.family, verdict.code) == ("ask", "later")
