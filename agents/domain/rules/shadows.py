"""Shadows: which rule of a stronger family covers everything that a rule is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from agents.domain.rules.commands import CommandRules
from agents.domain.rules.inclusion import ANY_TEXT, path_included, sample, text_included
from agents.domain.rules.paths import compiled_paths
from agents.domain.rules.policy import ALIASES, Policy, is_bare
from agents.domain.rules.text import FAMILIES, PATH_TOOLS, Family, PermissionRule
from agents.domain.rules.values import mcp_matches, mcp_names
from agents.domain.rules.verdict import Rule, RuleEntry
from agents.domain.shell.patterns import Wildcard


def shadow_finder(stronger: Iterable[RuleEntry]) -> Shadows:
    """Compiles deny and ask rules once, to look many rules up."""
    return Shadows(tuple(stronger))


class Shadows:
    """Looks for the deny (for an allow: or the ask) that comes before a rule whatever is called."""

    def __init__(self, stronger: tuple[RuleEntry, ...]) -> None:
        self._families = {
            family: _Family([entry for entry in stronger if entry.family == family])
            for family in FAMILIES[:-1]
        }

    def shadowed_by(self, text: str, family: Family = "allow") -> str:
        """Returns the text of that rule, "" if this one can still decide.

        Sure: a rule that can decide is never named. Two rules that cover it only together are
        not looked for.
        """
        narrow = next(iter(Policy([RuleEntry(family, text)]).rules), None)
        if narrow is None:
            return ""
        stronger = FAMILIES[: FAMILIES.index(family)]
        return next(filter(None, (self._families[one].covering(narrow) for one in stronger)), "")


class _Family:
    """The rules of one stronger family."""

    def __init__(self, entries: list[RuleEntry]) -> None:
        self._policy = Policy(entries)
        self._by_tool: dict[str, list[Rule]] = {}
        for rule in self._policy.rules:
            self._by_tool.setdefault(_tool(rule), []).append(rule)
        self._commands = CommandRules.of(self._by_tool.get("Bash", ()))

    def covering(self, narrow: Rule) -> str:
        """Returns the text of a rule that covers all of `narrow`; "" if none does."""
        tool = _tool(narrow)
        for bare_tool in (tool, "Bash") if tool == "Redirect" else (tool,):
            for wide in self._by_tool.get(bare_tool, ()):
                if is_bare(bare_tool, wide):
                    return wide.entry.text
        if tool == "Bash":
            return self._covering_commands(narrow.parsed)
        others = ("Mcp",) if tool.startswith("mcp__") else ()
        wides = [wide for one in (tool, *others) for wide in self._by_tool.get(one, ())]
        return next((wide.entry.text for wide in wides if _includes(wide, narrow)), "")

    def _covering_commands(self, narrow: PermissionRule) -> str:
        pattern = narrow.pattern
        if pattern is None or ANY_TEXT in pattern:
            return ""
        if narrow.is_exact:  # may be the whole line: see what becomes of it
            verdict = self._policy.evaluate("Bash", {"command": pattern})
            return (verdict.rule or "") if verdict.code == "rule" else ""
        forms = [pattern, pattern[:-2]] if pattern.endswith(" *") else [pattern]
        found = [list(self._commands.matching(sample(form))) for form in forms]
        return next((one.entry.text for one in found[0] if all(one in all_ for all_ in found)), "")


def _tool(rule: Rule) -> str:
    return ALIASES.get(rule.parsed.tool, rule.parsed.tool)


def _includes(wide: Rule, narrow: Rule) -> bool:
    """Says whether `wide`, of any tool but Bash, matches each call that `narrow` matches."""
    tool, wide_pattern = _tool(narrow), wide.parsed.pattern
    if wide.parsed.tool == "Mcp" and wide_pattern is not None:
        return _mcp_includes(wide_pattern, narrow)
    pattern = narrow.parsed.pattern
    if _tool(wide) != tool or wide_pattern is None:
        return False
    if tool in PATH_TOOLS:
        return _path_includes(wide, narrow)
    if pattern is None:
        return False
    if narrow.parsed.is_verbatim or wide.parsed.is_verbatim:
        wildcard = Wildcard.of(wide_pattern, wide.parsed.star)
        return narrow.parsed.is_exact and wildcard.matches(pattern)
    return _TEXTS.get(tool, text_included)(pattern, wide_pattern)


def _path_includes(wide: Rule, narrow: Rule) -> bool:
    if narrow.parsed.pattern is None:
        return wide.parsed.pattern == "**"  # a path that it does not cover is asked about
    wides = compiled_paths(wide)
    return all(any(path_included(one, other) for other in wides) for one in compiled_paths(narrow))


def _host_included(narrow: str, wide: str) -> bool:
    hosts = [text[7:].strip().lower().rstrip(".") for text in (narrow, wide)]
    are_hosts = narrow.startswith("domain:") and wide.startswith("domain:")
    return are_hosts and text_included(*hosts)


def _mcp_includes(wide: str, narrow: Rule) -> bool:
    if narrow.parsed.tool != "Mcp":
        return any(mcp_matches(wide, *name, wide=True) for name in mcp_names(narrow.parsed.tool))
    server, _, tool = (part.strip() for part in (narrow.parsed.pattern or "*").partition(","))
    wide_server, comma, wide_tool = (part.strip() for part in wide.partition(","))
    return text_included(server, wide_server) and (
        not comma or text_included(tool or "*", wide_tool)
    )


_TEXTS: MappingProxyType[str, Callable[[str, str], bool]] = MappingProxyType(
    {"WebFetch": _host_included}
)
