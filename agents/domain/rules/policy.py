"""Policy: all rules of a call, compiled once; deny, then ask, then allow, else ask (M §9.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from agents.domain.rules.bash import BashRules, judge_bash
from agents.domain.rules.calls import (
    ByFamily,
    ToolRules,
    judge_mcp,
    judge_name,
    judge_path,
    judge_values,
    judge_web,
)
from agents.domain.rules.commands import CommandRules
from agents.domain.rules.judgement import Judgement
from agents.domain.rules.paths import PathRules, place
from agents.domain.rules.real_paths import STRICT, reach
from agents.domain.rules.text import (
    FAMILIES,
    PATH_TOOLS,
    Family,
    PermissionRule,
    RuleProblem,
    parse_rule,
    unexamined_tool,
)
from agents.domain.rules.values import ValueRules, host_patterns, server_patterns, text_patterns
from agents.domain.rules.verdict import (
    SENTENCES,
    InvalidEntry,
    PartVerdict,
    PolicyContext,
    Rule,
    RuleEntry,
    Verdict,
)
from agents.domain.tools.parameters import named_input

__all__ = [
    "SENTENCES",
    "InvalidEntry",
    "PartVerdict",
    "PermissionRule",
    "Policy",
    "PolicyContext",
    "RuleEntry",
    "RuleProblem",
    "Verdict",
    "parse_rule",
]

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "bash": "Bash",
        "read_file": "Read",
        "write_file": "Write",
        "edit_file": "Edit",
        "read_skill": "Skill",
    }
)
"""The tools of the `mm` toolset obey the rules of the tools they stand for (seed T)."""

_DEFAULT = PolicyContext()
_NOT_BY_TEXTS = PATH_TOOLS - {"Redirect"} | {"Bash"}
"""Tools whose calls are not judged by texts alone; one that calls itself Redirect is."""
_NONE: ByFamily = ValueRules.by_family((), text_patterns)
Families = tuple[Family, ...]


class Policy:
    """The union of the rules of all scopes. Immutable; safe to share between threads."""

    __slots__ = (
        "_bash", "_hosts", "_paths", "_servers", "_texts", "_tools", "_unexamined",
        "invalid", "rules",
    )  # fmt: skip

    def __init__(self, entries: Iterable[RuleEntry]) -> None:
        """Compiles `entries`; what is no rule is kept in `invalid`.

        A deny or ask among those that names its tool makes the tool's calls ask, the others count
        not.
        """
        rules, invalid = _understood(entries)
        self._unexamined = _unexamined(invalid)
        self.rules: tuple[Rule, ...] = tuple(rules)
        self.invalid: tuple[InvalidEntry, ...] = tuple(invalid)
        self._tools = _by_tool(rules)
        self._paths = {tool: _path_rules(self._of_tool(tool)) for tool in PATH_TOOLS}
        self._texts = {
            tool: ValueRules.by_family(found.patterned, text_patterns)
            for tool, found in self._tools.items()
            if tool not in _NOT_BY_TEXTS
        }
        self._hosts = ValueRules.by_family(self._of_tool("WebFetch"), host_patterns)
        self._servers = ValueRules.by_family(self._of_tool("Mcp"), server_patterns)
        self._bash = BashRules.of(
            {family: CommandRules.of(self._of("Bash", family)) for family in FAMILIES},
            {family: PathRules.of(self._of("Redirect", family)) for family in FAMILIES},
        )

    @classmethod
    def of(
        cls,
        allow: Iterable[object] = (),
        ask: Iterable[object] = (),
        deny: Iterable[object] = (),
        scope: str = "site",
        origin: str = "",
    ) -> Policy:
        """Makes a policy of lists as in the seed's `permissions` property."""
        lists: dict[Family, Iterable[object]] = {"deny": deny, "ask": ask, "allow": allow}
        return cls(
            RuleEntry(
                family, text if isinstance(text, str) else f"({type(text).__name__})", scope, origin
            )
            for family, texts in lists.items()
            for text in texts
        )

    def evaluate(self, tool: object, input: object, context: PolicyContext = _DEFAULT) -> Verdict:
        """Decides one call. Never raises; what cannot be examined is *ask*."""
        found = Judgement()
        if not isinstance(tool, str) or not tool:
            found.leave_open("bad-input")
            return found.verdict()
        name = ALIASES.get(tool, tool)
        if isinstance(input, Mapping):
            input = named_input(tool, input)
        self._hit_bare({tool, name}, found, _shown(name, input))
        for rule in self._unexamined:
            if _is_about(rule.parsed.tool, name, tool):
                found.leave_open("rule-unexamined", _shown(name, input), rule)
        if not isinstance(input, Mapping):
            found.leave_open("bad-input")
        else:
            self._judge(name, tool, input, context, found)
        return found.verdict()

    def strict_rule(self, tool: str, paths: Iterable[str], *, families: Families = STRICT) -> str:
        """Returns the text of a deny or ask about one of some absolute paths, "" for none."""
        name = ALIASES.get(tool, tool)
        placed = [one for one in (place(path, _DEFAULT) for path in paths) if one is not None]
        for family in families:
            rules = self._paths[name][family]
            for path in placed:
                for rule in (*rules.bare, *rules.matching(path)):
                    return rule.entry.text
        return ""

    def denies_any(self, tool: str) -> bool:
        """Says whether any deny is about a path tool."""
        denied = self._paths[ALIASES.get(tool, tool)]["deny"]
        return bool(denied.bare or denied.patterns)

    def reaches(self, tool: str, folder: str) -> bool:
        """Says whether a deny or ask of a tool may be about something in an absolute folder."""
        return reach(folder, self._paths[ALIASES.get(tool, tool)], _DEFAULT)

    def _judge(
        self,
        name: str,
        tool: str,
        input: Mapping[str, Any],
        context: PolicyContext,
        found: Judgement,
    ) -> None:
        if name == "Bash":
            self._judge_bash(input, context, found)
        elif name in self._paths and name != "Redirect":
            judge_path(name, input, self._paths[name], context, found)
        elif name == "WebFetch":
            judge_web(input, self._hosts, self._about_texts(name), found)
        elif name in ("Skill", "Agent"):
            judge_name(name, input, self._about_texts(name), found)
        else:
            judge_mcp(tool, self._servers, found)
            judge_values(input, self._about_texts(tool), found, tool)

    def _judge_bash(
        self, input: Mapping[str, Any], context: PolicyContext, found: Judgement
    ) -> None:
        command = input.get("command")
        if isinstance(command, str):
            found.hits["allow"].clear()  # a bare allow counts for each part, not for the whole
            judge_bash(command, self._bash, context, found)
        else:
            found.leave_open("bad-input")

    def _hit_bare(self, names: set[str], found: Judgement, shown: str) -> None:
        for name in sorted(names):
            for rule in self._tools.get(name, ToolRules()).bare:
                found.hit(rule.entry.family, rule, shown)

    def _about_texts(self, tool: str) -> ByFamily:
        return self._texts.get(tool, _NONE)

    def _of_tool(self, tool: str) -> tuple[Rule, ...]:
        rules = self._tools.get(tool, ToolRules())
        return rules.bare + rules.patterned

    def _of(self, tool: str, family: Family) -> list[Rule]:
        return [rule for rule in self._of_tool(tool) if rule.entry.family == family]


def _shown(tool: str, input: object) -> str:
    """What a rule without a pattern is said to have matched."""
    if isinstance(input, Mapping):
        for key in ("command", "path", "url", "name"):
            if isinstance(input.get(key), str):
                return str(input[key])
    return tool


def _understood(entries: Iterable[RuleEntry]) -> tuple[list[Rule], list[InvalidEntry]]:
    rules: list[Rule] = []
    invalid: list[InvalidEntry] = []
    for position, entry in enumerate(entries):
        parsed = parse_rule(entry.text)
        if entry.family not in FAMILIES:
            invalid.append(InvalidEntry(entry, RuleProblem("rule-family", str(entry.family))))
        elif isinstance(parsed, RuleProblem):
            invalid.append(InvalidEntry(entry, parsed))
        else:
            rules.append(Rule(entry, parsed, position))
    return rules, invalid


def _unexamined(invalid: Iterable[InvalidEntry]) -> tuple[Rule, ...]:
    """Returns the deny and ask entries that say which tool they are about, but no more."""
    found: list[Rule] = []
    for one in invalid:
        tool = unexamined_tool(one.entry.text) if one.entry.family in ("deny", "ask") else ""
        if tool:
            found.append(Rule(one.entry, PermissionRule(ALIASES.get(tool, tool)), len(found)))
    return tuple(found)


def _is_about(ruled: str, name: str, tool: str) -> bool:
    """Says whether a rule of `ruled` may be about a call. A Bash call may write a file."""
    if ruled == "Mcp":
        return tool.startswith("mcp__")
    return ruled in (name, tool) or (ruled == "Redirect" and name == "Bash")


def _by_tool(rules: Iterable[Rule]) -> dict[str, ToolRules]:
    sorted_rules: dict[str, tuple[list[Rule], list[Rule]]] = {}
    for rule in rules:
        tool = ALIASES.get(rule.parsed.tool, rule.parsed.tool)
        bare, patterned = sorted_rules.setdefault(tool, ([], []))
        (bare if is_bare(tool, rule) else patterned).append(rule)
    return {tool: ToolRules(tuple(a), tuple(b)) for tool, (a, b) in sorted_rules.items()}


def is_bare(tool: str, rule: Rule) -> bool:
    """Says whether a rule is about every call: `Bash(*)` is `Bash`; so is a `deny` `Tool(*)`."""
    if rule.parsed.pattern is None or tool in PATH_TOOLS:
        return rule.parsed.pattern is None
    is_star = not rule.parsed.pattern.strip("*") and not rule.parsed.is_verbatim
    return is_star and (tool == "Bash" or rule.entry.family != "allow")


def _path_rules(rules: Iterable[Rule]) -> dict[Family, PathRules]:
    kept = list(rules)
    return {
        family: PathRules.of([rule for rule in kept if rule.entry.family == family])
        for family in FAMILIES
    }
