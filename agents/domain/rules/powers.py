"""Powers: which programs of an allow rule can run others, so that it allows whatever they can."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from agents.domain.rules.policy import ALIASES
from agents.domain.rules.text import PermissionRule, parse_rule
from agents.domain.rules.verdict import gettext_noop, shown
from agents.domain.shell.bash import read_script
from agents.domain.shell.git import git_verb
from agents.domain.shell.guards import STATE, line_of
from agents.domain.shell.values import Word
from agents.domain.shell.wrappers import INPUT_RUNNERS, inner_of, program

EVERY = "*"
"""Stands for every program."""

POWERS: dict[str, str] = {
    "one": gettext_noop("%(names)s can run other programs: this allows whatever it can"),
    "many": gettext_noop("%(names)s can run other programs: this allows whatever they can"),
    "every": gettext_noop("This allows every program, and whatever it can"),
}
MAX_DEPTH = 4
MAX_NAMES = 5
_SYSTEM = re.compile(r"(?:/usr(?:/local)?)?/s?bin/[^/]+")


def powers(rules: Iterable[str]) -> tuple[str, ...]:
    """Returns the programs, as the rules write them, that can run others (`EVERY`: any program).

    Those are the programs of the kind `anything`, and those that are not in the table. A rule that
    is none, or for another tool than Bash, has no such program.
    """
    found: dict[str, None] = {}
    for text in rules:
        rule = parse_rule(text)
        if isinstance(rule, PermissionRule) and ALIASES.get(rule.tool, rule.tool) == "Bash":
            found.update(dict.fromkeys(_of_rule(rule)))
    names = [shown(name, 60) for name in found]
    return (EVERY,) if EVERY in names else tuple(names[:MAX_NAMES])


def powers_sentence(names: Sequence[str], translate: Callable[[str], str] = str) -> str:
    """Says in words what `powers` found, "" for nothing; `translate` is a person's gettext."""
    if not names:
        return ""
    code = "every" if EVERY in names else "one" if len(names) == 1 else "many"
    return translate(POWERS[code]) % {"names": ", ".join(names)}


def _of_rule(rule: PermissionRule) -> Iterator[str]:
    if rule.pattern is None or not (rule.is_verbatim or rule.pattern.strip("* ")):
        yield EVERY
        return
    script = read_script(rule.pattern)
    commands = [command for command in script.commands if command.words or command.kind == "time"]
    if not commands:
        yield rule.pattern.split()[0]
    for command in commands:
        is_only_time = command.timed and command.words and command.words[0].raw == "*"
        if command.words and not is_only_time:
            yield from _of_words(command.words, is_wide=not rule.is_exact, depth=0)


def _of_words(words: Sequence[Word], *, is_wide: bool, depth: int) -> Iterator[str]:
    inner = inner_of(words) if depth < MAX_DEPTH else None
    if inner is None:
        yield from _of_program(words)
    elif not is_wide:  # a wildcard never covers a wrapper
        scripts = [read_script(text).commands for text in inner.scripts]
        started = [*inner.commands, *(one.words for commands in scripts for one in commands)]
        for each in started:
            if each:
                yield from _of_words(each, is_wide=is_wide, depth=depth + 1)


def _of_program(words: Sequence[Word]) -> Iterator[str]:
    name = program(words)
    written = words[0].text
    if not words[0].is_static:
        yield written if written.strip("*") else EVERY
        return
    if name in STATE and name not in INPUT_RUNNERS:
        return
    line, _ = line_of(words)
    if line is None or line.kind == "anything" or not _is_system(written):
        yield written
    elif line.verbs:
        verb = git_verb(words)
        if verb is not None and verb < len(words):
            yield f"{written} {words[verb].text}"  # an alias, or a program of its own


def _is_system(written: str) -> bool:
    """Says whether the name is looked up, or stands where the system's programs are."""
    return "/" not in written or _SYSTEM.fullmatch(written) is not None
