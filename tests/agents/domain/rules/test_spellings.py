"""Rules see what was received as the tools would read it, even where nobody read it before."""

from __future__ import annotations

import itertools
import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.domain.rules.offers import offers
from agents.domain.rules.policy import Policy
from workspaces.domain.globs import expanded_braces


@pytest.mark.parametrize(
    ("tool", "received", "rule"),
    [
        ("Skill", {"name": "§secret"}, "Skill(secret)"),
        ("Skill", {"skill": " §secret"}, "Skill(secret)"),
        ("read_skill", {"name": "x/secret"}, "Skill(secret)"),
        ("read_skill", {"name": "/secret/"}, "Skill(secret)"),
        ("Read", {"file_path": "secret/k"}, "Read(secret/**)"),
        ("read_file", {"file_path": "secret/k"}, "Read(secret/**)"),
        ("Write", {"path": None, "file_path": "secret/k"}, "Write(secret/**)"),
        ("Glob", {"pattern": "/secret/*"}, "Glob(secret/**)"),
        ("Glob", {"pattern": "//secret/*"}, "Glob(secret/**)"),
        ("Addition", {"n": "5.0"}, "Addition(5)"),
        ("Addition", {"n": [" 5e0"]}, "Addition(5)"),
    ],
)
def test_another_spelling_is_denied_all_the_same(
    tool: str, received: dict[str, Any], rule: str
) -> None:
    policy = Policy.of(allow=[rule.partition("(")[0], tool], deny=[rule])
    assert policy.evaluate(tool, received).family == "deny"


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("{secret/,private/}", "secret/k"),
        ("secret/{,x}", "secret/k"),
        ("{../keys,x}/**", "../keys/k"),
        ("src/{..,lib}/k", "k"),
        ("{.,x}./keys/*", "../keys/k"),
        ("{~/.ssh,~/.aws}/**", "~/.ssh/id"),
        ("~{/.ssh,/.aws}/", "~/.ssh/id"),
        ("{/etc,/root}/**", "/etc/passwd"),
        ("{/workspace/a,b}/*", "a/k"),
        ("{**/,}.env", "~/.env"),
        ("{*,x}*/.env", "~/.env"),
        ("src\\/k", "src/k"),
        ("secret\\/", "secret/k"),
        (" secret/**", "secret/k"),
        ("secret/**\n", "secret/k"),
    ],
)
def test_a_path_that_is_forbidden_within_braces_or_beside_blanks_is_forbidden(
    rule: str, path: str
) -> None:
    denied = Policy.of(allow=["Read"], deny=[f"Read({rule})"])
    assert denied.evaluate("Read", {"path": path}).family == "deny"


_PIECE = st.sampled_from(["a", "b", ".", "..", "~", "*", "**", "/", "{", ",", "}"])
_PATH = st.sampled_from(["a", "b", "a/b", "a/a/b", "~/a", "~/a/b", "../a", "/a", "/a/b", "."])


@given(st.lists(_PIECE, min_size=1, max_size=12).map("".join), _PATH)
def test_braces_mean_what_a_rule_for_each_alternative_means(pattern: str, path: str) -> None:
    texts = [f"Read({one})" for one in expanded_braces(pattern) if one.strip()]
    together = Policy.of(allow=["Read"], deny=[f"Read({pattern})"])
    assume(not together.invalid and len(Policy.of(deny=texts).invalid) == 0)
    apart = Policy.of(allow=["Read"], deny=texts)
    called = {"path": path}
    assert together.evaluate("Read", called).family == apart.evaluate("Read", called).family


@pytest.mark.parametrize(
    ("tool", "received", "rule"),
    [
        ("Skill", {"name": "§open"}, "Skill(open)"),
        ("Skill", {"skill": "open"}, "Skill(open)"),
        ("Read", {"file_path": "src/a"}, "Read(src/**)"),
        ("write_file", {"file_path": "src/a", "text": "x"}, "Write(src/**)"),
    ],
)
def test_a_harmless_alias_is_allowed_and_offered(
    tool: str, received: dict[str, Any], rule: str
) -> None:
    assert Policy.of(allow=[rule]).evaluate(tool, received).family == "allow"
    assert offers(tool, received)


@pytest.mark.parametrize(
    ("pattern", "path", "is_matched"),
    [
        (r"Sal\xe9.txt", r"Sal\xe9.txt", True),
        (r"Sal\xe9.txt", r"Sal\xE9.txt", True),
        (r"Sal\xe9.txt", r"Sal\x5cxe9.txt", False),
        (r"Sal\\xe9.txt", r"Sal\x5cxe9.txt", True),
        (r"Sal\\xe9.txt", r"Sal\xe9.txt", False),
        ("Sal?.txt", r"Sal\xe9.txt", True),
        ("café", r"caf\xc3\xa9", True),
        (r"donn\xe9es/**", r"donn\xe9es/x", True),
        (r"Sal[\xe8-\xe9].txt", r"Sal\xe9.txt", True),
        (r"Sal[x\xe8].txt", r"Sal\xe9.txt", False),
        (r"Sal[!\xe8].txt", r"Sal\xe9.txt", True),
        (r"caf\xc3\xa9", "café", True),
        (r"{caf\xC3\xa9,a}/\xe9", r"café/\xe9", True),
    ],
)
@pytest.mark.parametrize("family", ["allow", "deny"])
def test_a_name_that_is_no_utf8_is_judged_as_what_it_is(
    family: str, pattern: str, path: str, is_matched: bool
) -> None:
    rule = [f"Read({pattern})"]
    policy = Policy.of(allow=rule) if family == "allow" else Policy.of(allow=["Read"], deny=rule)
    found = policy.evaluate("Read", {"path": path}).family
    assert (found == family) == is_matched


@pytest.mark.parametrize(
    "path", [r"Sal\xe9.txt", r"Sal\x5cxe9.txt", "a\\b", "a\\\\xe9", r"d\xe9/[id]/x"]
)
def test_the_exact_offer_covers_such_a_name_and_no_other(path: str) -> None:
    offer = offers("Write", {"path": path, "content": ""})[0].rule
    policy = Policy.of(allow=[offer])
    assert policy.evaluate("Write", {"path": path, "content": ""}).family == "allow"
    other = {r"Sal\xe9.txt": r"Sal\x5cxe9.txt", r"Sal\x5cxe9.txt": r"Sal\xe9.txt"}.get(path, "x")
    assert policy.evaluate("Write", {"path": other, "content": ""}).family == "ask"


def test_a_word_of_a_command_names_what_bash_makes_of_it() -> None:
    policy = Policy.of(allow=["Bash"], deny=[r"Redirect(a\\xe9)", r"Redirect(b\xe9)"])

    def verdict(command: str) -> str:
        return policy.evaluate("Bash", {"command": command}).family

    assert verdict(r"echo x > 'a\xe9'") == "deny"
    assert verdict(r"echo x > 'b\xe9'") != "deny"
    assert verdict(r"echo x > $'b\xe9'") != "allow"


_WRITTEN = ("données/été v1.md", "A\u00f1o \u1e9b\u0323", "\uac00\ub098 x", "Shot 1.01 AM.png")


def _in_form(text: str, form: str) -> str:
    blanks = {"blank": "\u202f", "no-break": "\u00a0"}
    if form in blanks:
        return text.replace(" ", blanks[form])
    return unicodedata.normalize("NFD" if form == "NFD" else "NFC", text)


FORMS = ("NFC", "NFD", "blank", "no-break")


@pytest.mark.parametrize("name", _WRITTEN)
@pytest.mark.parametrize(("ruled", "asked"), list(itertools.permutations(FORMS, 2)))
def test_a_deny_or_ask_in_one_form_holds_for_every_other(name: str, ruled: str, asked: str) -> None:
    rule, path = (_in_form(name, form) for form in (ruled, asked))
    folder = path.partition("/")[0]
    calls: list[tuple[str, str, dict[str, Any]]] = [
        (f"Read({rule})", "Read", {"path": path}),
        (f"Write({rule})", "Write", {"path": path, "content": ""}),
        (f"Edit(**/{rule})", "Edit", {"path": f"/workspace/{path}", "edits": []}),
        (f"Grep({rule})", "Grep", {"pattern": "x", "path": path}),
        (f"Redirect({rule})", "Bash", {"command": f"echo x > '{path}'"}),
        (f"Bash(cat '{rule}')", "Bash", {"command": f"cat '{path}'"}),
        (f"Bash(cat {rule}*)", "Bash", {"command": f'true && cat "{path}" | wc'}),
        (f"Bash(cat {rule} | wc)", "Bash", {"command": f"cat {path} | wc"}),
        (f"Skill({rule})", "Skill", {"name": path}),
        (f"Mcp_x({rule})", "Mcp_x", {"deep": {"value": [path]}}),
        (f"Mcp(srv,{rule})", f"mcp__srv__{path}", {}),
    ]
    for text, tool, input in calls:
        allow = [tool, "Redirect"]
        assert Policy.of(allow=allow, deny=[text]).evaluate(tool, input).family == "deny", text
        assert Policy.of(allow=allow, ask=[text]).evaluate(tool, input).family == "ask", text
    if folder != path:
        searched = Policy.of(allow=["Grep"], deny=[f"Grep({rule})"])
        assert searched.evaluate("Grep", {"pattern": "x", "path": folder}).family == "ask"


@pytest.mark.parametrize(("ruled", "asked"), list(itertools.permutations(FORMS, 2)))
def test_an_allow_is_about_the_form_it_is_written_in(ruled: str, asked: str) -> None:
    rule, path = (_in_form("données/été v1.md", form) for form in (ruled, asked))
    for text, tool, input in (
        (f"Read({rule})", "Read", {"path": path}),
        (f"Bash(cat '{rule}')", "Bash", {"command": f"cat '{path}'"}),
        (f"Skill({rule})", "Skill", {"name": path}),
        (f"Mcp_x({rule})", "Mcp_x", {"value": path}),
    ):
        found = Policy.of(allow=[text]).evaluate(tool, input).family
        assert (found == "allow") == (rule == path), text


def test_a_word_that_bash_decides_is_asked_about_in_every_form() -> None:
    policy = Policy.of(allow=["Bash"], deny=["Bash(cat donn\u00e9es/x)"])
    for command in ("cat donne\u0301*/x", "cat donne\u0301{es,e}/x", "cat $A/x"):
        assert policy.evaluate("Bash", {"command": command}).family == "ask", command


def test_a_search_for_such_a_name_lies_in_its_folder() -> None:
    policy = Policy.of(allow=["Glob"])
    assert policy.evaluate("Glob", {"pattern": r"Sal\xe9*.txt"}).family == "allow"
    assert policy.evaluate("Glob", {"pattern": r"*/\.\./x"}).family != "allow"
