"""What the rules say about a Bash call: every part, every target (seed M §9.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from agents.domain.rules.commands import BLANKS, CommandRules, has_open_name
from agents.domain.rules.judgement import Judgement
from agents.domain.rules.later import mentions_place
from agents.domain.rules.later_cover import MAX_LOOKED_UP, Uncovered, uncovered_command
from agents.domain.rules.paths import PathRules, PlacedPath, place
from agents.domain.rules.real_paths import Named, covering, named, strict_rules
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import Judged, PartVerdict, PolicyContext, Rule, shown
from agents.domain.shell.bash import MAX_LENGTH, BashLine, Part, analyse
from agents.domain.shell.targets import Target, Written
from agents.domain.shell.values import ANY
from workspaces.domain.real_paths import everywhere
from workspaces.domain.spelling import spelled

Strict = Literal["deny", "ask"]
_STRICT: tuple[Strict, Strict] = ("deny", "ask")
MAX_COMPARISONS = 30_000
"""Commands times rules that need a comparison of their own; what is beyond asks (20 ms)."""
MAX_PATH_COMPARISONS = 10_000


@dataclass(frozen=True, slots=True)
class BashRules:
    """The Bash and Redirect rules of all families."""

    commands: dict[Family, CommandRules]
    redirects: dict[Family, PathRules]
    width: int = 1
    size: int = 0
    paths: int = 1

    @classmethod
    def of(
        cls, commands: dict[Family, CommandRules], redirects: dict[Family, PathRules]
    ) -> BashRules:
        """Notes how many rules of one family need a comparison of their own."""
        width = 1 + max(index.width for index in commands.values())
        size = sum(commands[family].size for family in _STRICT)
        paths = 1 + max(index.width for index in redirects.values())
        return cls(commands, redirects, width, size, paths)


def judge_bash(command: str, rules: BashRules, context: PolicyContext, found: Judgement) -> None:
    """Adds to `found` what the rules say about running `command`."""
    line = _bounded(analyse(command, context.root), rules, found)
    found.targets = tuple(target.text for target in line.targets)
    for family in _STRICT:
        _judge_strictly(line, rules, family, context, found)
    for finding in line.doubts:
        found.leave_open(finding.code, finding.part)
        found.parts.append(PartVerdict(finding.part, "finding", "doubt", code=finding.code))
    exact = rules.commands["allow"].naming(command.strip(BLANKS))
    for rule in exact:
        found.hit("allow", rule, command)
    if not exact:
        for finding in line.specials:
            found.leave_open(finding.code, finding.part)
            found.parts.append(PartVerdict(finding.part, "finding", "special", code=finding.code))
    later = _Later(rules.redirects["allow"], context, cache(partial(mentions_place, line.source)))
    for part in line.parts:
        _cover_part(part, rules.commands["allow"], later, found, is_named=bool(exact))
    for target in line.targets:
        _cover_target(target, rules, later, found)
    _leave_possible_open(line, rules, found)


def _bounded(line: BashLine, rules: BashRules, found: Judgement) -> BashLine:
    """Leaves out, and asks about, what would take too long to compare with the rules."""
    budget, unknown = MAX_COMPARISONS // rules.width, rules.size // rules.width
    parts = tuple(_affordable(line.parts, budget, unknown))
    nested = tuple(_affordable(line.nested, budget, unknown))
    texts = sum(len(target.texts) for target in line.targets)
    is_affordable = texts * rules.paths <= MAX_PATH_COMPARISONS
    if len(parts) == len(line.parts) and len(nested) == len(line.nested) and is_affordable:
        return line
    found.leave_open("too-long", shown(line.source))
    targets = line.targets if is_affordable else line.targets[:1]
    return replace(line, parts=parts, nested=nested, targets=targets)


def _affordable(parts: Iterable[Part], budget: int, unknown: int) -> Iterator[Part]:
    """Yields the parts that can be compared; a long one costs more, an unknown name `unknown`."""
    for part in parts:
        budget -= 1 + len(part.guesses) + max(map(len, part.texts)) // 1_000
        budget -= unknown * sum(map(has_open_name, part.patterns))
        if budget >= 0:
            yield part


def _judge_strictly(
    line: BashLine, rules: BashRules, family: Strict, context: PolicyContext, found: Judgement
) -> None:
    """One matching part is enough for deny and for ask."""
    commands, redirects = rules.commands[family], rules.redirects[family]
    first: dict[Rule, str] = {}
    for part in (*line.parts, *line.nested):
        for rule in commands.about(part):
            first.setdefault(rule, part.written)
    if len(line.source) <= MAX_LENGTH:
        for rule in commands.about_line(line.source):
            first.setdefault(rule, line.source)
    for target in line.targets:
        for rule, shown_target in _target_rules(target, redirects, context):
            first.setdefault(rule, shown_target)
    if family == "deny":
        for rule, shown_part in _built_in_rules(line, redirects, context):
            first.setdefault(rule, shown_part)
    for rule, part_text in first.items():
        found.hit(family, rule, part_text)


def _built_in_rules(
    line: BashLine, denied: PathRules, context: PolicyContext
) -> Iterator[tuple[Rule, str]]:
    """What MAIA itself forbids to redirect to, no program writes either as far as it is known.

    Nor by a link that leads there. Yields each rule with the part it matched.
    """
    looked_up = 0
    for part in (*line.parts, *line.nested):
        for pattern in dict.fromkeys(spelled(written.pattern) for written in part.writes):
            path = place(pattern, context)
            if path is None:
                continue
            name = Named(path)
            if ANY not in pattern and looked_up < MAX_LOOKED_UP:
                name, looked_up = named(path, pattern, everywhere, context), looked_up + 1
            for rule in strict_rules(name, denied):
                if rule.entry.scope == "built-in":
                    yield rule, part.written


def _target_rules(
    target: Target, strict: PathRules, context: PolicyContext
) -> Iterator[tuple[Rule, str]]:
    """Yields the rules about a target, or about the file it really is, with what they match."""
    if target.text != "/dev/null":
        yield from ((rule, target.text) for rule in strict.bare)
    for text in target.texts:
        path = place(spelled(text), context)
        if path is not None:
            yield from ((rule, target.text) for rule in strict.matching(path))
            name = _named(target, text, path, context)
            yield from ((rule, name.shown) for rule in strict_rules(name, strict))


def _named(target: Target, text: str, path: PlacedPath, context: PolicyContext) -> Named:
    """Looks on the disk for what is certain as text; the rest is asked about anyway."""
    if not target.is_static or target.is_moved:
        return Named(path)
    return named(path, spelled(text), everywhere, context)


@dataclass(frozen=True, slots=True)
class _Later:
    """What is known when a file is written that may run later: see `uncovered_command`."""

    redirects: PathRules
    context: PolicyContext
    is_mentioned: Callable[[], bool]

    def uncovered(self, written: Iterable[Written], covering: Sequence[Rule]) -> Uncovered | None:
        return uncovered_command(written, covering, self.redirects, self.context, self.is_mentioned)


def _cover_part(
    part: Part, rules: CommandRules, later: _Later, found: Judgement, *, is_named: bool
) -> None:
    """A part is covered by its own text as written; a special one only by an exact rule."""
    covering = list(_covering(part, rules))
    for rule in covering:
        found.hit("allow", rule, part.written)
    rule_text = covering[0].entry.text if covering else None
    runs_later = None if is_named else later.uncovered(part.writes, covering)
    code = runs_later.code if runs_later else part.special
    is_covered = is_named or (covering and not runs_later)
    judged: Judged = "allow" if is_covered else ("special" if code else "uncovered")
    found.parts.append(PartVerdict(part.written, "command", judged, rule_text, code))
    if runs_later is not None:
        found.leave_open(runs_later.code, part.written, by=runs_later.by)
    elif not is_covered:
        is_moved = bool(part.elsewhere and any(rules.matching(part.written)))
        found.leave_open("moved" if is_moved else part.special or "no-rule", part.written)


def _covering(part: Part, rules: CommandRules) -> Iterator[Rule]:
    """Yields the rules that cover a part; after `cd`, not because of a relative name."""
    if part.special == "shell-input":
        return  # only a rule that names the whole line
    look_up = rules.naming if part.special else rules.matching
    if part.timed:
        yield from _covering_both(part, look_up(part.timed))
    if part.is_keyword:
        yield from look_up(part.written)
        return
    if not part.special:
        yield from rules.bare
    elif part.elsewhere:
        return
    there = set(rules.matching(part.elsewhere)) if part.elsewhere else None
    for rule in look_up(part.written):
        if there is None or rule in there:
            yield rule


def _covering_both(part: Part, rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields the rules that cover `time` and the command behind it, by the name of both.

    `Bash(time *)` says nothing of what is measured.
    """
    name = part.timed.removeprefix(part.keyword).split(" ")[1]
    for rule in () if part.elsewhere else rules:
        if (rule.parsed.pattern or "").startswith(f"{part.keyword} {name}"):
            yield rule


def _cover_target(target: Target, rules: BashRules, later: _Later, found: Judgement) -> None:
    """A target bash decides, or one after `cd`, is covered by a bare Redirect only."""
    if target.text == "/dev/null" and target.is_static:
        return
    allow = rules.redirects["allow"]
    rule_list, shown_target, code = list(allow.bare), target.text, _why_uncovered(target)
    text = spelled(target.text)
    path = place(text, later.context) if target.is_static and not target.is_moved else None
    if path is not None:
        name = named(path, text, everywhere, later.context)
        rule_list.extend(covering(name, allow))
        shown_target = name.shown if name.leads else target.text
        if not name.is_certain or path.absolute.startswith("/proc/"):
            rule_list, code = [], "names" if not name.is_certain else "dynamic-target"
    for rule in rule_list:
        found.hit("allow", rule, target.text)
    runs_later = later.uncovered(target.written, ())
    judged: Judged = "special" if runs_later else "allow" if rule_list else "uncovered"
    by = rule_list[0].entry.text if rule_list else None
    why = runs_later.code if runs_later else ""
    found.parts.append(PartVerdict(target.text, "redirect", judged, by, why))
    if runs_later is not None:
        found.leave_open(runs_later.code, shown_target, by=runs_later.by)
    elif not rule_list:
        found.leave_open(code, shown_target)


def _why_uncovered(target: Target) -> str:
    if not target.is_static:
        return "dynamic-target"
    return "moved" if target.is_moved else "no-redirect"


def _leave_possible_open(line: BashLine, rules: BashRules, found: Judgement) -> None:
    """What an expansion may turn into something forbidden is asked (what is unsure is ask)."""
    for family in _STRICT:
        for part in (*line.parts, *line.nested):
            if part.patterns or part.guesses:
                for rule in _possible(part, rules.commands[family]):
                    found.leave_open("may-be-forbidden", part.written, rule)
        for target in line.targets:
            if not target.is_static or target.is_moved:
                for pattern in rules.redirects[family].patterns:
                    found.leave_open("may-be-forbidden", target.text, pattern.rule)


def _possible(part: Part, rules: CommandRules) -> Iterator[Rule]:
    """Yields the rules that `part` may turn out to be about."""
    yield from rules.possible(part)
    for text in part.guesses:
        yield from rules.called(text)
