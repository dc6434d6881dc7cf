"""What the rules say about the calls of all tools but Bash (seed M §9.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from agents.domain.rules.judgement import Judgement
from agents.domain.rules.later_cover import uncovered_name
from agents.domain.rules.paths import PathRules, place, search_base
from agents.domain.rules.real_paths import STRICT, Named, covering, hit_strict, named, reach
from agents.domain.rules.text import FAMILIES, Family
from agents.domain.rules.values import (
    ValueRules,
    has_many_values,
    mcp_matches,
    mcp_names,
    plain_host,
    possible_hosts,
    server_text,
    text_values,
)
from agents.domain.rules.verdict import Judged, PartVerdict, PolicyContext, Rule
from agents.domain.tools.kinds import skill_name
from workspaces.domain.real_paths import everywhere

WRITING_TOOLS = frozenset({"Write", "Edit"})
NAME_KEYS = {"Skill": "name", "Agent": "agent"}
ByFamily = Mapping[Family, ValueRules]


def judge_path(
    tool: str,
    input: Mapping[str, Any],
    rules: dict[Family, PathRules],
    context: PolicyContext,
    found: Judgement,
) -> None:
    """Adds what the rules say about the path of a Read, Write, Edit, Glob or Grep call."""
    is_search = tool in ("Glob", "Grep")
    text = input.get("path", "." if is_search else None)
    path = search_base(tool, dict(input), context) if is_search else _file(text, context)
    if tool == "Glob":
        _judge_rooted(input, rules, context, found)
    if path is None:
        found.leave_open("path" if isinstance(text, str) else "bad-input", _text_of(text))
        return
    is_wide = bool(found.hits["allow"])  # a rule without a pattern: wherever it leads
    writes = tool in WRITING_TOOLS
    reaches = everywhere if writes else partial(reach, rules=rules, context=context)
    name = named(path, path.absolute, reaches, context)
    hit_strict(name, rules, found)
    covers = covering(name, rules["allow"])
    for rule in covers:
        found.hit("allow", rule, name.shown)
    if is_search:
        _leave_reaching_open(name, rules, found)
    later = uncovered_name(name, rules["allow"]) if writes else None
    if later is not None:
        found.leave_open(later.code, name.shown, by=later.by)
    if not name.is_certain:
        found.leave_open("names", name.shown)
    elif not is_wide and not covers:
        found.leave_open("no-rule", name.shown)
    _conclude(found, name.shown)


def _leave_reaching_open(name: Named, rules: dict[Family, PathRules], found: Judgement) -> None:
    for family in STRICT:
        for path in name.strict:
            for rule in rules[family].below(path):
                found.leave_open("search-reaches", name.shown, rule)


def _judge_rooted(
    input: Mapping[str, Any],
    rules: dict[Family, PathRules],
    context: PolicyContext,
    found: Judgement,
) -> None:
    """A pattern `/x` may mean what lies below the workspace: deny and ask count for that too."""
    pattern = input.get("pattern")
    if not isinstance(pattern, str) or not pattern.startswith("/"):
        return
    below = search_base("Glob", {**input, "pattern": pattern.lstrip("/")}, context)
    if below is None:
        return
    for family in ("deny", "ask"):
        for rule in rules[family].matching(below):
            found.hit(family, rule, below.relative or below.absolute)


def _file(text: object, context: PolicyContext) -> Any:
    return place(text, context) if isinstance(text, str) else None


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def judge_web(
    input: Mapping[str, Any],
    hosts: ByFamily,
    addresses: ByFamily,
    found: Judgement,
) -> None:
    """Adds what the rules say about the host of a WebFetch call; deny and ask, of its address."""
    url = input.get("url")
    if not isinstance(url, str) or len(url) > 65_536:
        found.leave_open("bad-input")
        return
    host = plain_host(url)
    possible = possible_hosts(url)
    if host is None:
        found.leave_open("url", url)
    for rule, _ in hosts["allow"].matching([host or ""]):
        found.hit("allow", rule, url)
    for family in STRICT:
        for rule, _ in chain(hosts[family].matching(possible), addresses[family].matching([url])):
            found.hit(family, rule, url)
    _conclude(found, url)


def judge_name(tool: str, input: Mapping[str, Any], rules: ByFamily, found: Judgement) -> None:
    """Adds what the rules say about the name in a Skill or Agent call."""
    name = input.get(NAME_KEYS[tool])
    if not isinstance(name, str):
        found.leave_open("bad-input")
        return
    _judge_texts(rules, [name.removeprefix("§")], _forms(name), found)


def _forms(name: str) -> list[str]:
    """Returns what a name may be read as; what was read by a tool has one form alone."""
    last = name.rstrip("/ ").rpartition("/")[2]
    return list(dict.fromkeys([name, name.strip(), skill_name(name), skill_name(last)]))


def judge_values(
    input: Mapping[str, Any], rules: ByFamily, found: Judgement, shown: str = ""
) -> None:
    """Adds what the rules say about any text value of a custom tool's or MCP tool's call."""
    if has_many_values(input):
        found.leave_open("many-values", shown)
    plain, all_texts = (list(text_values(input, nested=nested)) for nested in (False, True))
    _judge_texts(rules, plain, all_texts, found, shown)


def _judge_texts(
    rules: ByFamily, plain: list[str], wide: list[str], found: Judgement, shown: str = ""
) -> None:
    for family in FAMILIES:
        for rule, text in rules[family].matching(plain if family == "allow" else wide):
            found.hit(family, rule, text)
    _conclude(found, shown or (plain[0] if plain else ""))


def judge_mcp(tool: str, rules: ByFamily, found: Judgement) -> None:
    """Adds what `Mcp(server[,tool])` rules say about a call of `mcp__server__tool`."""
    names = mcp_names(tool)
    texts = [server_text(*name) for name in names]
    for family in FAMILIES:
        is_allow = family == "allow"
        decide: Callable[[Iterable[bool]], bool] = all if is_allow else any
        for rule, _ in rules[family].matching(texts):
            pattern = rule.parsed.pattern or "*"
            if decide(mcp_matches(pattern, *name, wide=not is_allow) for name in names):
                found.hit(family, rule, tool)


def _conclude(found: Judgement, shown: str) -> None:
    """Leaves the call open when no allow covers it."""
    if not found.hits["allow"]:
        found.leave_open("no-rule", shown)
    judged: Judged = "uncovered"
    for family in reversed(FAMILIES):
        judged = family if found.hits[family] else judged
    found.parts.append(PartVerdict(shown, "call", judged))


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The rules of one tool, by family; those without a pattern apart."""

    bare: tuple[Rule, ...] = ()
    patterned: tuple[Rule, ...] = ()
