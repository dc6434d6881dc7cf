"""PermissionRule: what the text `Tool`, `Tool(pattern)` or `Tool=(text)` says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from workspaces.domain.globs import MAX_ALTERNATIVES, PathGlob, TooManyAlternatives, placed_texts

Family = Literal["deny", "ask", "allow"]
FAMILIES: tuple[Family, ...] = ("deny", "ask", "allow")
MAX_RULE_LENGTH = 16_384
_SHAPE = re.compile(r"([A-Za-z0-9_.-]+)(?:(=?)\((.*)\))?", re.DOTALL)
_ABOUT = re.compile(r"[ \t\n]*([A-Za-z0-9_.-]+)=?\(.*\)[ \t\n]*\Z", re.DOTALL)
_OPEN = re.compile(r"[ \t\n]*[A-Za-z0-9_.-]+=?\([^)]*$")
_BEGUN = re.compile(r"[ \t]*[A-Za-z0-9_.-]+=?\((?!.*\)[ \t]*\Z)")
_NOT_PLAIN = frozenset("{[\\")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """A written rule. Without a pattern it covers every call of the tool.

    `is_verbatim`: written `Tool=(text)`, so that no sign of the text has a meaning, `*` neither
    (decision 0032).
    """

    tool: str
    pattern: str | None = None
    is_verbatim: bool = False

    @property
    def text(self) -> str:
        """The rule as it is written."""
        if self.pattern is None:
            return self.tool
        return f"{self.tool}{'=' if self.is_verbatim else ''}({self.pattern})"

    @property
    def star(self) -> str:
        """The sign that stands for anything in the pattern, "" where none does."""
        return "" if self.is_verbatim else "*"

    @property
    def is_exact(self) -> bool:
        """Says whether the pattern is one text alone."""
        return self.pattern is not None and (self.is_verbatim or "*" not in self.pattern)


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """Why a text is no rule: a stable `code` (see `rule_verdict.SENTENCES`) and the text."""

    code: str
    text: str


def parse_rule(text: object) -> PermissionRule | RuleProblem:
    """Reads one rule (seed M §9.1). Never raises, whatever it is given."""
    if not isinstance(text, str):
        return RuleProblem("rule-not-text", repr(type(text).__name__))
    if len(text) > MAX_RULE_LENGTH:
        return RuleProblem("rule-too-long", text[:80])
    if _CONTROL.search(text):
        return RuleProblem("rule-control", repr(text)[:200])
    found = _SHAPE.fullmatch(text.strip(" \t\n"))
    if found is None:
        return RuleProblem("rule-open" if _OPEN.match(text) else "rule-shape", text[:200])
    tool, verbatim, pattern = found.groups()
    if pattern is not None and not pattern.strip(" \t\n"):
        return RuleProblem("rule-empty", text[:200])
    rule = PermissionRule(tool, pattern, bool(verbatim))
    return _with_checked_path(rule, text) if tool in _NOT_VERBATIM else rule


def split_rules(text: str) -> list[str]:
    """Returns the rules of a text, one a line; lines that are none alone are put together.

    Only a line that opens a bracket and does not end with one goes on in the next. What is no
    rule stands among them, for the reader to complain about.
    """
    rules: list[str] = []
    open_lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if not open_lines and not line.strip(" \t"):
            continue
        open_lines.append(line)
        whole = "\n".join(open_lines)
        if isinstance(parse_rule(whole), PermissionRule) or not _BEGUN.match(open_lines[0]):
            rules.append(whole.strip(" \t\n"))
            open_lines = []
    rest = "\n".join(open_lines).strip(" \t\n")
    return [*rules, rest] if rest else rules


def _with_checked_path(rule: PermissionRule, text: str) -> PermissionRule | RuleProblem:
    if rule.is_verbatim:
        return RuleProblem("rule-verbatim", text[:200])
    if rule.tool not in PATH_TOOLS or not rule.pattern:
        return rule
    return _checked(rule, rule.pattern, text)


def _checked(rule: PermissionRule, pattern: str, text: str) -> PermissionRule | RuleProblem:
    if not _NOT_PLAIN & set(pattern):
        return RuleProblem("rule-climbs", text[:200]) if _climbs(pattern) else rule
    try:
        texts = placed_texts(pattern)
        glob = PathGlob.any_of(PathGlob.of(one) for one in texts)
    except TooManyAlternatives:
        return RuleProblem("rule-wide", text[:200])
    if len(glob.alternatives) > MAX_ALTERNATIVES:
        return RuleProblem("rule-wide", text[:200])
    if glob.backward_sets:
        return RuleProblem("rule-set", text[:200])
    return RuleProblem("rule-climbs", text[:200]) if any(map(_climbs, texts)) else rule


def unexamined_tool(text: str) -> str:
    """Returns the tool that a text which `parse_rule` refused is about; "" if it names none.

    Whoever wrote `deny Tool(…)` forbids something of this tool: what it is cannot be examined,
    so its calls are asked about. A text of another shape is no rule at all (seed M §9.1).
    """
    found = _ABOUT.match(text)
    return found[1] if found else ""


PATH_TOOLS = frozenset({"Read", "Write", "Edit", "Glob", "Grep", "Redirect"})
_NOT_VERBATIM = PATH_TOOLS | {"WebFetch", "Mcp"}
"""Tools whose patterns have a `\\*` of their own, or are about names that hold no `*`."""


def _climbs(pattern: str) -> bool:
    """A `..` after a wildcard has no fixed meaning."""
    parts = pattern.split("/")
    first = next((at for at, part in enumerate(parts) if set(part) & set("*?[{")), len(parts))
    return ".." in parts[first:]
