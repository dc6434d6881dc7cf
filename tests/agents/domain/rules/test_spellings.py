"""Rules see what was received as the tools would read it, even where nobody read it before."""

from __future__ import annotations

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
