"""Shadows: a rule that can still decide is never said to be covered by another."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.policy import Policy
from agents.domain.rules.shadows import shadow_finder
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import RuleEntry


@pytest.mark.parametrize(
    ("deny", "rule", "shadowed"),
    [
        ("Bash(git push *)", "Bash(git push origin *)", True),
        ("Bash(git push *)", "Bash(git push)", True),
        ("Bash(git push *)", "Bash(git *)", False),
        ("Bash(git *)", "Bash(git*)", False),
        ("Bash(git*)", "Bash(git *)", True),
        ("Bash(*a*)", "Bash(b a *)", True),
        ("Bash(a *b)", "Bash(a *)", False),
        ("Bash", "Bash(ls)", True),
        ("Bash(*)", "Bash", True),
        ("Bash(*)", "Redirect(x)", True),
        ("Bash(ls *)", "Bash", False),
        ("Bash(good)", "Bash(good | bash)", True),
        ("Bash(* bash)", "Bash(good | bash)", False),
        ("Bash(evil *)", "Bash('evil' x)", True),
        ("Read(secrets/**)", "Read(secrets/*)", True),
        ("Read(secrets/)", "Read(secrets/a/b)", True),
        ("Read(secrets/*)", "Read(**)", False),
        ("Read(**)", "Read", True),
        ("Read(**/*.pem)", "Read(~/a.pem)", True),
        ("Read(**/*.pem)", "Read(/etc/*.pem)", True),
        ("Read(*.pem)", "Read(/etc/a.pem)", False),
        ("Read(a?)", "Read(a*)", False),
        ("Read(a*)", "Read(a?)", True),
        ("Read(a[bc])", "Read(ab)", True),
        ("Read({a,b}/*)", "Read(b/x)", True),
        ("Read(a/x)", "Read({a,b}/x)", False),
        ("Write(a)", "Read(a)", False),
        ("WebFetch(domain:*.internal)", "WebFetch(domain:db.internal)", True),
        ("WebFetch(domain:db.internal)", "WebFetch(domain:*.internal)", False),
        ("WebFetch(domain:*)", "WebFetch(domain:*.x)", True),
        ("WebFetch(domain:*)", "WebFetch", False),
        ("Mcp(sentry)", "Mcp(sentry,read_*)", True),
        ("Mcp(sentry)", "mcp__sentry__read", True),
        ("Mcp(sentry,write)", "Mcp(sentry)", False),
        ("Mcp(*)", "Mcp(sentry)", True),
        ("Skill(x)", "Skill(x)", True),
        ("Translate(f*)", "Translate(fr)", True),
        ("Translate(f*)", "Translate", False),
        ("Translate(*)", "Translate", True),
        ("Redirect(deploy/**)", "Redirect(deploy/a.txt)", True),
        ("Redirect(deploy/**)", "Redirect", False),
        ("Bash(rm *)", "Bash(", False),
        ("Bash(", "Bash", False),
    ],
)
def test_a_rule_is_shadowed_by_one_that_covers_all_it_is_about(
    deny: str, rule: str, shadowed: bool
) -> None:
    found = shadow_finder([RuleEntry("deny", deny)]).shadowed_by(rule)
    assert found == (deny if shadowed else "")


def test_an_ask_shadows_an_allow_and_a_deny_shadows_an_ask() -> None:
    ask, deny = RuleEntry("ask", "Bash(git *)"), RuleEntry("deny", "Bash(git push *)")
    finder = shadow_finder([ask, deny])
    assert finder.shadowed_by("Bash(git log *)") == "Bash(git *)"
    assert finder.shadowed_by("Bash(git push x)") == "Bash(git push *)"
    assert finder.shadowed_by("Bash(git log *)", "ask") == ""
    assert finder.shadowed_by("Bash(git push x)", "ask") == "Bash(git push *)"
    assert finder.shadowed_by("Bash(git push x)", "deny") == ""


def test_many_rules_are_looked_up_without_reading_each_pair() -> None:
    finder = shadow_finder([RuleEntry("deny", f"Bash(tool{n} *)") for n in range(3_000)])
    found = [finder.shadowed_by(f"Bash(tool{n} run *)") for n in range(3_000)]
    assert found == [f"Bash(tool{n} *)" for n in range(3_000)]


_SEGMENTS = ["a", "b", "*", "**", "a*", "?", "[ab]", "ab", "*b", "{a,b}"]
_ENDS = ["", " *", "*", " b", " * b", " b *", " | b", "; a", " > f", " 'b'"]
_CALL_ENDS = ["", " b", " a", " a b", "a", " 'b'", " > f", " | b", "; a", " b b"]


def _text(chance: random.Random, signs: str) -> str:
    return "".join(chance.choices(signs, k=chance.randint(1, 4)))


def _path(chance: random.Random, segments: list[str], starts: list[str]) -> str:
    return chance.choice(starts) + "/".join(chance.choices(segments, k=chance.randint(1, 3)))


_Maker = Callable[[random.Random], Any]
_TOOLS: dict[str, tuple[_Maker, _Maker]] = {
    "Bash": (
        lambda c: c.choice(["a", "b", "ab", "a b"]) + c.choice(_ENDS),
        lambda c: {"command": c.choice(["a", "b", "ab"]) + c.choice(_CALL_ENDS)},
    ),
    "Read": (
        lambda c: _path(c, _SEGMENTS, ["", "", "/", "~/", "**/"]) + c.choice(["", "", "/"]),
        lambda c: {"path": _path(c, ["a", "b", "ab", "aa"], ["", "/", "~/", "../"])},
    ),
    "WebFetch": (
        lambda c: "domain:" + _text(c, "ab.*"),
        lambda c: {"url": f"https://{_text(c, 'ab.')}/"},
    ),
    "Skill": (lambda c: _text(c, "ab*"), lambda c: {"name": _text(c, "ab")}),
    "Tool": (lambda c: _text(c, "ab*"), lambda c: {"x": _text(c, "ab"), "y": _text(c, "ab")}),
}


@pytest.mark.parametrize("seed", range(3))
def test_what_is_shadowed_decides_no_call(seed: int) -> None:
    chance = random.Random(seed)
    marked = 0
    for _ in range(300):
        tool = chance.choice(list(_TOOLS))
        pattern, call = _TOOLS[tool]
        wide, narrow = (f"{tool}({pattern(chance)})" for _ in range(2))
        family: Family = chance.choice(["deny", "ask"])
        stronger = RuleEntry(family, wide)
        if shadow_finder([stronger]).shadowed_by(narrow):
            marked += 1
            policy = Policy([stronger, RuleEntry("allow", narrow)])
            verdicts = [policy.evaluate(tool, call(chance)) for _ in range(20)]
            assert "allow" not in {verdict.family for verdict in verdicts}, (wide, narrow)
    assert marked > 20


@given(st.text(), st.lists(st.text(), max_size=3))
def test_looking_for_shadows_never_fails(rule: str, denies: list[str]) -> None:
    shadow_finder([RuleEntry("deny", text) for text in denies]).shadowed_by(rule)
