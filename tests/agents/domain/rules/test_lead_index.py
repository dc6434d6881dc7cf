"""The index of path patterns: it finds what comparing every pattern finds, in the same order."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.paths import PathPattern, PathRules, PlacedPath, place
from agents.domain.rules.text import FAMILIES, PermissionRule, parse_rule
from agents.domain.rules.verdict import PolicyContext, Rule, RuleEntry
from workspaces.domain.names import all_forms

CONTEXT = PolicyContext()
NAMES = st.sampled_from(
    ["a", "b", "ab", ".git", "é", unicodedata.normalize("NFD", "é"), "a b", "[x", "..", ".", "~"]
)
LEVELS = NAMES | st.sampled_from(
    ["*", "**", "a*", "?", "[ab]", "{a,b}", "{a/b,c}", "{a,**}", "{a,}", "\\a", "\\*", "*.py", ""]
)
ROOTS = st.sampled_from(["", "/", "~/", "/workspace/", "/home/agent/", "../", "../../", "/etc/"])


def joined(levels: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    texts = st.lists(levels, min_size=1, max_size=5).map("/".join)
    return st.tuples(ROOTS, texts).map("".join)


RULES = st.lists(st.tuples(st.sampled_from(FAMILIES), joined(LEVELS)), max_size=12)


def compiled(texts: list[tuple[str, str]], family: str) -> PathRules:
    found = []
    for position, (kind, text) in enumerate(texts):
        parsed = parse_rule(f"Read({text})")
        if kind == family and isinstance(parsed, PermissionRule):
            entry = RuleEntry(kind, parsed.pattern or "")  # type: ignore[arg-type]  # of FAMILIES
            found.append(Rule(entry, parsed, position))
    return PathRules.of(found)


def reaches(pattern: PathPattern, path: PlacedPath) -> bool:
    """As it is decided for one pattern alone."""
    form = pattern.form(path)
    if form is None:
        return path.holds(CONTEXT.root if pattern.base == "relative" else CONTEXT.home)
    if pattern.base == "outside" and form.startswith(".."):
        return True
    return any(map(pattern.glob.may_be_below, all_forms((form,))))


@given(RULES, joined(NAMES))
def test_the_index_finds_what_comparing_all_finds(texts: list[tuple[str, str]], path: str) -> None:
    placed = place(path, CONTEXT)
    assert placed is not None
    for family in FAMILIES:
        rules = compiled(texts, family)
        patterns = rules.patterns
        covering = dict.fromkeys(p.rule for p in patterns if p.matches(placed))
        reaching = dict.fromkeys(p.rule for p in patterns if reaches(p, placed))
        assert list(rules.matching(placed)) == list(covering)
        assert list(rules.below(placed)) == list(reaching)
        assert {id(p) for p in patterns if p.matches(placed)} <= set(map(id, rules.near(placed)))


def test_few_of_many_patterns_are_compared() -> None:
    texts = [("allow", f"src/part{number}/**") for number in range(5_000)]
    texts += [("allow", "**/*.md"), ("allow", "src/*/main.py")]
    rules = compiled(texts, "allow")
    placed = place("src/part7/main.py", CONTEXT)
    assert placed is not None

    assert [p.rule.entry.text for p in rules.near(placed)] == [
        "src/part7/**",
        "**/*.md",
        "src/*/main.py",
    ]
