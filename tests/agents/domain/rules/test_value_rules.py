"""Rules on texts: a verdict is what reading every rule one by one says, and compares few."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.domain.rules import calls, values
from agents.domain.rules.judgement import Judgement
from agents.domain.rules.policy import Policy, PolicyContext, RuleEntry, is_bare
from agents.domain.rules.text import FAMILIES
from agents.domain.rules.values import mcp_matches, mcp_names, plain_host, possible_hosts
from agents.domain.rules.verdict import Rule
from agents.domain.shell.patterns import Wildcard
from agents.domain.shell.wildcard_index import WildcardIndex


class PlainPolicy(Policy):
    """The same rules, each one read at each call."""

    def _judge(
        self,
        name: str,
        tool: str,
        input: Mapping[str, Any],
        context: PolicyContext,
        found: Judgement,
    ) -> None:
        if name == "WebFetch":
            read_web(input, self._read(name), found)
        elif name in ("Skill", "Agent"):
            text = input.get(calls.NAME_KEYS[name])
            if isinstance(text, str):
                read_texts(self._read(name), [text.removeprefix("§")], calls._forms(text), found)
            else:
                found.leave_open("bad-input")
        else:
            read_mcp(tool, [r for r in self.rules if r.parsed.tool == "Mcp"], found)
            plain = list(values.text_values(input, nested=False))
            wide = list(values.text_values(input, nested=True))
            read_texts(self._read(tool), plain, wide, found, tool)

    def _read(self, tool: str) -> list[Rule]:
        named = {"read_skill": "Skill"}
        ruled = [r for r in self.rules if named.get(r.parsed.tool, r.parsed.tool) == tool]
        return [rule for rule in ruled if not is_bare(tool, rule)]


def read_web(input: Mapping[str, Any], rules: Iterable[Rule], found: Judgement) -> None:
    url = input.get("url")
    if not isinstance(url, str) or len(url) > 65_536:
        found.leave_open("bad-input")
        return
    host = plain_host(url)
    if host is None:
        found.leave_open("url", url)
    for rule in rules:
        family, pattern = rule.entry.family, rule.parsed.pattern or ""
        is_wide = family != "allow"
        hosts = possible_hosts(url) if is_wide else {host or ""}
        is_text = is_wide and fits(pattern, url, wide=True)
        if is_text or domain_matches(pattern, hosts, wide=is_wide):
            found.hit(family, rule, url)
    calls._conclude(found, url)


def domain_matches(pattern: str, hosts: Iterable[str], *, wide: bool) -> bool:
    if not pattern.startswith("domain:"):
        return False
    wanted = pattern[7:].strip().lower().rstrip(".")
    forms = values._host_forms(wanted) if wide and "*" not in wanted else {wanted}
    return any(fits(form, host, wide=wide) for form in forms for host in hosts)


def fits(pattern: str, text: str, *, wide: bool) -> bool:
    """Whether a text fits, for deny and ask in any normal form."""
    patterns, written = ({one, composed(one)} if wide else {one} for one in (pattern, text))
    return any(Wildcard.of(one).matches(form) for one in patterns for form in written)


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def read_texts(
    rules: Iterable[Rule], plain: list[str], wide: list[str], found: Judgement, shown: str = ""
) -> None:
    for rule in rules:
        pattern, is_wide = rule.parsed.pattern or "", rule.entry.family != "allow"
        texts = wide if is_wide else plain
        match = next((text for text in texts if fits(pattern, text, wide=is_wide)), None)
        if match is not None:
            found.hit(rule.entry.family, rule, match)
    calls._conclude(found, shown or (plain[0] if plain else ""))


def read_mcp(tool: str, rules: Iterable[Rule], found: Judgement) -> None:
    names = mcp_names(tool)
    for rule in rules:
        pattern, is_wide = rule.parsed.pattern or "*", rule.entry.family != "allow"
        matches = [mcp_matches(pattern, *name, wide=is_wide) for name in names]
        if names and (any(matches) if is_wide else all(matches)):
            found.hit(rule.entry.family, rule, tool)


NFC, NFD = unicodedata.normalize("NFC", "révision"), unicodedata.normalize("NFD", "révision")
LETTERS = ["a", "b", "ab", "aa", "A", "*", "**", " ", ",", ".", "_", "é", "e\u0301", "1", "5.0"]


def texts(*more: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*LETTERS, *more]), max_size=5).map("".join)


HOSTS = st.sampled_from(
    ["example.org", "EXAMPLE.org.", "api.example.org", "example.org:8443", "u@example.org", "",
     "münchen.de", "xn--mnchen-3ya.de", "127.1", "127.0.0.1", "0x7f000001", "[::1]",
     "[::ffff:7f00:1]", "ex%61mple.org", "%2a.org", "x.org", "*.example.org",
     "example.*", "*ample*", "*", "ex*.org"]
)  # fmt: skip
URLS = st.tuples(
    st.sampled_from(["https://", "http://", "HTTPS://", "//", "https:\\\\", ""]),
    HOSTS,
    st.sampled_from(["", "/", "/a/b", "?q", "\n", "/é", ":80/"]),
).map("".join)
WEB_PATTERNS = (
    st.tuples(st.sampled_from(["domain:", "domain: ", "Domain:", "domain", "*"]), HOSTS).map(
        "".join
    )
    | URLS
    | st.tuples(URLS, st.just("*")).map("".join)
    | texts("domain:")
)
NAMES = st.sampled_from([NFC, NFD, "§" + NFC, f" {NFD} ", "path/" + NFC, "REVISION"]) | texts("§")
SERVERS = st.tuples(texts(), st.sampled_from(["", ",", " , "]), texts()).map("".join)
WORDS = texts() | st.sampled_from([NFC, NFD, "true", "1.0"])

VALUES = st.recursive(
    WORDS | st.integers(0, 5) | st.floats(0, 5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=4,
)
INPUTS = st.dictionaries(st.sampled_from("abc"), VALUES)


def case(
    calls: st.SearchStrategy[tuple[str, Any]], **ruled: st.SearchStrategy[str]
) -> st.SearchStrategy[tuple[list[RuleEntry], tuple[str, Any]]]:
    """A call, and rules of tools by what their patterns are."""
    rules = [
        st.builds("{}({})".format, st.just(tool), patterns) | st.just(tool)
        for tool, patterns in ruled.items()
    ]
    invalid = [st.just(f"{tool}()") for tool in ruled]
    entries = st.builds(RuleEntry, st.sampled_from(FAMILIES), st.one_of(*rules, *rules, *invalid))
    return st.tuples(st.lists(entries, max_size=8), calls)


def call(
    tools: st.SearchStrategy[str], inputs: st.SearchStrategy[Any]
) -> st.SearchStrategy[tuple[str, Any]]:
    return st.tuples(tools, inputs)


ANY_MCP = st.tuples(texts(), texts()).map(lambda one: "mcp__{}__{}".format(*one))
MCP = st.sampled_from(["mcp__a__b", "mcp__a___b", "mcp__a,b__a", "mcp__*__a", "mcp__a_"]) | ANY_MCP
VALUED = st.sampled_from(["Add", "Mcp", "Redirect"])
SKILLS = st.sampled_from(["Skill", "read_skill"])
NAMED = st.fixed_dictionaries({"name": NAMES | st.none()})
CASES = st.one_of(
    case(call(st.just("WebFetch"), st.fixed_dictionaries({"url": URLS})), WebFetch=WEB_PATTERNS),
    case(call(SKILLS, NAMED), Skill=NAMES, read_skill=NAMES),
    case(call(st.just("Agent"), st.fixed_dictionaries({"agent": NAMES})), Agent=NAMES),
    case(call(VALUED, INPUTS), Add=WORDS, Mcp=WORDS, Redirect=WORDS),
    case(call(MCP, INPUTS), Mcp=SERVERS, mcp__a__b=WORDS, mcp__a___b=WORDS),
)  # fmt: skip


@given(CASES)
@example(([RuleEntry("deny", "WebFetch(domain:127.0.0.1)")], ("WebFetch", {"url": "http://127.1"})))
@example(([RuleEntry("deny", "WebFetch(domain:%2a)")], ("WebFetch", {"url": "http://x.org"})))
@example(([RuleEntry("allow", "WebFetch(domain)")], ("WebFetch", {"url": "a"})))
@example(([RuleEntry("allow", "WebFetch(domain: A.org.)")], ("WebFetch", {"url": "http://a.org"})))
@example(([RuleEntry("allow", "Mcp(a*)")], ("mcp__ab__c", {})))
@example(([RuleEntry("allow", "Mcp(a)")], ("mcp__a___b", {})))
@example(([RuleEntry("deny", "Mcp(a)")], ("mcp__a___b", {})))
@example(([RuleEntry("ask", f"Skill({NFD})")], ("Skill", {"name": NFC})))
@example(([RuleEntry("allow", f"Skill({NFD})")], ("Skill", {"name": NFC})))
@example(([RuleEntry("deny", "Mcp(\u00e9)")], ("mcp__e\u0301__c", {})))
@example(([RuleEntry("deny", "Add(a*)")], ("Add", {"a": "ab", "b": "ac"})))
@example(([RuleEntry("deny", "Redirect(a)")], ("Redirect", {"a": "a"})))
def test_a_verdict_is_what_reading_every_rule_says(
    case: tuple[list[RuleEntry], tuple[str, Any]],
) -> None:
    entries, call = case
    assert Policy(entries).evaluate(*call) == PlainPolicy(entries).evaluate(*call)


PIECES = st.lists(st.sampled_from(["a", "b", "aa", "é", "*"]), max_size=6).map("".join)


@given(st.lists(PIECES, max_size=20), PIECES.map(lambda text: text.replace("*", "")))
def test_the_index_finds_the_wildcards_that_fit(patterns: list[str], text: str) -> None:
    kept = [(Wildcard.of(pattern), number) for number, pattern in enumerate(patterns)]
    found = WildcardIndex(kept).matching(text)
    assert sorted(found) == [number for wildcard, number in kept if wildcard.matches(text)]


@pytest.mark.parametrize(
    ("rule", "tool", "input"),
    [
        ("WebFetch(domain:host{}.org)", "WebFetch", {"url": "https://host7.org/x"}),
        ("WebFetch(domain:*.host{}.org)", "WebFetch", {"url": "https://api.host7.org/x"}),
        ("WebFetch(https://host{}.org/*)", "WebFetch", {"url": "https://host7.org/x"}),
        ("Skill(skill {})", "Skill", {"name": "skill 7"}),
        ("Agent(agent {} *)", "Agent", {"agent": "agent 7 a"}),
        ("Add(number {})", "Add", {"a": "number 7", "b": ["x", 5]}),
        ("Add(* number {})", "Add", {"a": "a number 7"}),
        ("Mcp(server{})", "mcp__server7__a", {}),
        ("Mcp(server,tool{}_*)", "mcp__server__tool7_a", {}),
        ("mcp__server__a(number {})", "mcp__server__a", {"a": "number 7"}),
    ],
)
@pytest.mark.parametrize("family", ["deny", "ask", "allow"])
def test_few_of_many_rules_are_compared(
    rule: str, tool: str, input: dict[str, Any], family: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Policy(RuleEntry(family, rule.format(number)) for number in range(5_000))
    compared = []
    matches = Wildcard.matches

    def counted(wildcard: Wildcard, text: str) -> bool:
        compared.append(text)
        return matches(wildcard, text)

    monkeypatch.setattr(Wildcard, "matches", counted)
    verdict = policy.evaluate(tool, input)

    assert len(compared) <= 20
    is_url = family == "allow" and "https" in rule  # an address is allowed by its host alone
    assert verdict.rule == (None if is_url else rule.format(7))
