"""Verdict: what the policy decided, by which rule, because of which part, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from agents.domain.rules.text import Family, PermissionRule, RuleProblem
from workspaces.domain.real_paths import Reaches, Real


def gettext_noop(text: str) -> str:
    """Marks `text` for the translators; the caller translates it."""
    return text


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """A rule as it is kept: its family, its text, whose it is (`scope`) and where it stands."""

    family: Family
    text: str
    scope: str = "site"
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """An entry that was understood; `position` is its place in the list it came in."""

    entry: RuleEntry
    parsed: PermissionRule
    position: int


@dataclass(frozen=True, slots=True)
class InvalidEntry:
    """An entry that is ignored, and why."""

    entry: RuleEntry
    problem: RuleProblem


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What paths are relative to: the workspace's root and the person's home, absolute.

    `real` tells what a path really names, where there is a disk to look at.
    """

    root: str = "/workspace"
    home: str = "/home/agent"
    real: Callable[[str, Reaches], Real] | None = None


Judged = Literal["allow", "ask", "deny", "uncovered", "special", "doubt"]


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """One part of the call as the tester shows it: a command, a target, a finding."""

    text: str
    kind: Literal["command", "nested", "redirect", "finding", "call"]
    judged: Judged
    rule: str | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision. `code` and `params` say why; `sentence()` puts that into words."""

    family: Family
    code: str
    rule: str | None = None
    scope: str | None = None
    origin: str | None = None
    part: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    matches: tuple[RuleEntry, ...] = ()
    parts: tuple[PartVerdict, ...] = ()
    targets: tuple[str, ...] = ()

    def sentence(self, translate: Callable[[str], str] = str) -> str:
        """Says why, in words; `translate` is gettext of the person's language."""
        names = {"rule": self.rule, "scope": self.scope, "part": self.part}
        return reason_sentence(self.code, names, self.params, translate)


def reason_sentence(
    code: str,
    names: Mapping[str, str | None],
    params: Mapping[str, str],
    translate: Callable[[str], str] = str,
) -> str:
    """Returns the sentence of a code; `names` are the rule, its scope and the part."""
    scope = names.get("scope") or ""
    words = {
        "rule": shown(names.get("rule") or ""),
        "scope": translate(SCOPE_NAMES.get(scope, scope)) if scope else "",
        "part": shown(names.get("part") or ""),
    }
    return translate(SENTENCES[code]) % {**words, **params}


def shown(text: str, limit: int = 200) -> str:
    """Makes control and direction characters visible and shortens `text` for people."""
    visible = "".join(char if char.isprintable() else _code(char) for char in text[: limit + 1])
    return visible if len(text) <= limit else visible[:limit] + "…"


def _code(char: str) -> str:
    return {"\n": "\\n", "\t": "\\t"}.get(char, f"\\u{{{ord(char):x}}}")


SCOPE_NAMES: dict[str, str] = {
    "site": gettext_noop("site"),
    "workspace": gettext_noop("workspace"),
    "person": gettext_noop("person"),
    "agent": gettext_noop("agent"),
    "built-in": gettext_noop("built in"),
    "earlier": gettext_noop("the workspace’s settings file as it was"),
}
"""Whose a rule is, in words."""

SENTENCES: dict[str, str] = {
    "rule": gettext_noop("The rule %(rule)s (%(scope)s) decides: %(part)s"),
    "no-rule": gettext_noop("No rule covers %(part)s"),
    "no-redirect": gettext_noop("No Redirect rule covers writing to %(part)s"),
    "later": gettext_noop(
        "%(by)s runs or obeys this unasked, so only a rule that names the place covers it: %(part)s"
    ),
    "later-home": gettext_noop(
        "Programs obey this in every workspace, so only a rule that names it covers it: %(part)s"
    ),
    "later-unknown": gettext_noop(
        "Only bash knows whether this writes a file that programs run or obey unasked: %(part)s"
    ),
    "dynamic-target": gettext_noop("Only bash knows which file %(part)s names"),
    "may-be-forbidden": gettext_noop("%(part)s may become what the rule %(rule)s is about"),
    "rule-unexamined": gettext_noop(
        "The rule %(rule)s cannot be examined, so what it may be about is asked: %(part)s"
    ),
    "search-reaches": gettext_noop("The search may reach what the rule %(rule)s is about"),
    "bad-input": gettext_noop("The call lacks the text that the rules look at"),
    "empty": gettext_noop("There is nothing to run"),
    "control": gettext_noop("The command contains control characters"),
    "too-long": gettext_noop("The command is too long to be examined"),
    "many-values": gettext_noop("The call has too many values to be examined"),
    "too-deep": gettext_noop("The command is nested too deeply to be examined"),
    "open-quote": gettext_noop("A quote or bracket stays open"),
    "syntax": gettext_noop("The command could not be understood with certainty"),
    "heredoc": gettext_noop("A here-document could not be understood with certainty"),
    "escape": gettext_noop("%(part)s holds characters whose meaning is not certain"),
    "opinions": gettext_noop("Two readers of the command disagree about what it runs"),
    "substitution": gettext_noop("A rule never covers a substitution: %(part)s"),
    "expansion": gettext_noop("%(part)s may change a variable or run something"),
    "arithmetic": gettext_noop("Arithmetic may run something or change a variable: %(part)s"),
    "network": gettext_noop("%(part)s opens a network connection"),
    "redirect": gettext_noop("The redirection %(part)s is not certain"),
    "dynamic-name": gettext_noop("Only bash knows which program %(part)s starts"),
    "assignment": gettext_noop("A variable is set, which may change what runs: %(part)s"),
    "function": gettext_noop("A function is defined: %(part)s"),
    "loop": gettext_noop("A loop sets a variable, which may change what runs: %(part)s"),
    "background": gettext_noop("Something would run in the background: %(part)s"),
    "wrapper": gettext_noop("%(part)s starts another program"),
    "shell-input": gettext_noop("%(part)s would run what it reads"),
    "state": gettext_noop("%(part)s changes how later commands run"),
    "argument": gettext_noop("An argument may run a program or write a file: %(part)s"),
    "names": gettext_noop("There are too many files to look for the other names of %(part)s"),
    "moved": gettext_noop("After cd, %(part)s is relative to another folder"),
    "url": gettext_noop("The address is not plain: %(part)s"),
    "path": gettext_noop("The path cannot be judged with certainty: %(part)s"),
    "ambiguous-tool": gettext_noop("The tool's name can be read in two ways: %(part)s"),
    "rule-not-text": gettext_noop("A rule must be text"),
    "rule-too-long": gettext_noop("The rule is too long"),
    "rule-control": gettext_noop("The rule contains control characters"),
    "rule-shape": gettext_noop("A rule is written Tool, Tool(pattern) or Tool=(text)"),
    "rule-verbatim": gettext_noop(
        "Tool=(text) is for texts; in the pattern of a file, \\* is the sign itself"
    ),
    "rule-open": gettext_noop("A closing parenthesis is missing"),
    "rule-empty": gettext_noop("The parentheses are empty: leave them out to cover every call"),
    "rule-climbs": gettext_noop("A path pattern may not contain .. after a wildcard"),
    "rule-wide": gettext_noop(
        "The braces stand for too many alternatives: write several rules instead"
    ),
    "rule-set": gettext_noop("A set such as [z-a] runs backwards: nothing is in it"),
    "rule-family": gettext_noop("A rule belongs to deny, ask or allow"),
}
