"""shadowed_by: which deny makes a rule useless, found by trying calls the rule is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.domain.rule_text import PATH_TOOLS, PermissionRule, RuleProblem, parse_rule
from agents.domain.rule_verdict import RuleEntry
from agents.domain.rules import Policy

_FILLERS = ("zq7", "kx2.wv", "vj4-pq")
_PATHS = PATH_TOOLS - {"Redirect"}


def shadow_finder(denies: Iterable[RuleEntry]) -> Shadows:
    """Compiles the denies once, to look many rules up."""
    return Shadows(tuple(denies))


class Shadows:
    """Looks for the deny that stops everything a rule is about."""

    def __init__(self, denies: tuple[RuleEntry, ...]) -> None:
        self._policy = Policy(denies)
        self._by_text = {entry.text: entry for entry in denies}

    def shadowed_by(self, text: str) -> str:
        """Returns the text of that deny, "" if some call of the rule gets through.

        Every `*` of the rule is filled in three ways; a deny that stops all three is taken to
        stop everything. A hint for people, never part of a verdict.
        """
        if text in self._by_text:
            return text
        parsed = parse_rule(text)
        if isinstance(parsed, RuleProblem) or not self._by_text:
            return ""
        if parsed.tool == "Redirect" and parsed.pattern is None:
            return ""
        rules = [self._denied(tool, input) for tool, input in _calls(parsed)]
        return rules[0] if rules and all(rules) else ""

    def _denied(self, tool: str, input: dict[str, Any]) -> str:
        verdict = self._policy.evaluate(tool, input)
        return (verdict.rule or "") if verdict.family == "deny" else ""


def _calls(rule: PermissionRule) -> Iterator[tuple[str, dict[str, Any]]]:
    for filler in _FILLERS:
        text = (rule.pattern if rule.pattern is not None else filler).replace("**", "*")
        value = text.replace("*", filler)
        yield _call(rule.tool, value)


def _call(tool: str, value: str) -> tuple[str, dict[str, Any]]:
    if tool == "Bash":
        return tool, {"command": value}
    if tool == "Redirect":
        return "Bash", {"command": f"zq7 > {value}"}
    if tool in _PATHS:
        return tool, {"path": value, "pattern": "zq7"}
    if tool == "WebFetch":
        return tool, {"url": f"https://{value.removeprefix('domain:')}/"}
    if tool == "Mcp":
        server, _, name = value.partition(",")
        return f"mcp__{server.strip()}__{name.strip() or 'zq7'}", {}
    return tool, {"name": value, "agent": value}
