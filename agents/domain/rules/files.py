"""RuleFile: the `permissions` of a settings.json, what is wrong in it left out (seed M §9.1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from agents.domain.rules.text import FAMILIES, Family, RuleProblem, parse_rule
from agents.domain.rules.verdict import SENTENCES, RuleEntry, gettext_noop, shown

SETTINGS_FOLDER = "~/.maia"
HOME_FILE = f"{SETTINGS_FOLDER}/settings.json"
WORKSPACE_FILE = ".maia/settings.json"
MAX_RULES = 10_000

FILE_SENTENCES: dict[str, str] = {
    "file-unreadable": gettext_noop("The file cannot be read: %(why)s"),
    "file-json": gettext_noop("The file is not JSON: %(why)s"),
    "file-shape": gettext_noop("The file is not an object with an object “permissions”"),
    "file-list": gettext_noop("“%(entry)s” is not a list of rules"),
    "file-twice": gettext_noop("“%(entry)s” stands there twice; what stands in both counts"),
    "file-many": gettext_noop(
        "The file has too many rules; those after the first %(entry)s count not"
    ),
}


@dataclass(frozen=True, slots=True)
class FileProblem:
    """What is wrong in a file: a code of `FILE_SENTENCES` or `SENTENCES`, and the entry."""

    code: str
    entry: str = ""
    why: str = ""

    def sentence(self, translate: Callable[[str], str] = str) -> str:
        """Says what is wrong, in words."""
        if self.code in FILE_SENTENCES:
            return translate(FILE_SENTENCES[self.code]) % {"entry": self.entry, "why": self.why}
        return translate(SENTENCES[self.code])


@dataclass(frozen=True, slots=True)
class RuleFile:
    """What a file says; `sha256` is "" where there is none.

    `unexamined`: the deny and ask among what is left out, for a policy that asks about it.
    """

    path: str
    sha256: str = ""
    entries: tuple[RuleEntry, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    unexamined: tuple[RuleEntry, ...] = ()

    def of(self, family: Family) -> tuple[RuleEntry, ...]:
        """Returns the rules of one family."""
        return tuple(entry for entry in self.entries if entry.family == family)


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The rules in files as one person meets them in one workspace, both read in one moment."""

    home: RuleFile = RuleFile(HOME_FILE)
    workspace: RuleFile = RuleFile(WORKSPACE_FILE)


def read_rule_file(path: str, content: bytes, scope: str) -> RuleFile:
    """Reads the rules of a settings file. Never raises; what is no rule becomes a problem."""
    digest = hashlib.sha256(content).hexdigest()
    try:
        twice: list[str] = []
        hook = partial(_all_of, twice=twice)
        settings = json.loads(content.decode("utf-8-sig"), object_pairs_hook=hook)
    except (ValueError, RecursionError) as error:
        return RuleFile(path, digest, problems=(FileProblem("file-json", why=_why(error)),))
    lists = settings.get("permissions", {}) if isinstance(settings, dict) else None
    if not isinstance(lists, dict):
        return RuleFile(path, digest, problems=(FileProblem("file-shape"),))
    found = list(_entries(path, lists, scope))
    entries = [one for one in found if isinstance(one, RuleEntry)]
    problems = [one for one in found if isinstance(one, FileProblem)]
    problems += [FileProblem("file-twice", shown(name)) for name in dict.fromkeys(twice)]
    if len(entries) > MAX_RULES:
        problems.append(FileProblem("file-many", str(MAX_RULES)))
    return RuleFile(
        path, digest, tuple(entries[:MAX_RULES]), tuple(problems[:MAX_RULES]),
        tuple(_unexamined(path, lists, scope, entries[MAX_RULES:])),
    )  # fmt: skip


def _all_of(pairs: list[tuple[str, Any]], twice: list[str]) -> dict[str, Any]:
    """Returns an object in which lists and objects of one name are joined, and names them.

    Of two lists `deny` JSON keeps the last; whoever wrote the first forbade something.
    """
    made: dict[str, Any] = {}
    for name, value in pairs:
        _join(made, name, value, twice)
    return made


def _join(made: dict[str, Any], name: str, value: Any, twice: list[str]) -> None:
    if name not in made:
        made[name] = value
        return
    twice.append(name)
    known = made[name]
    if isinstance(known, list) and isinstance(value, list):
        known.extend(value)
    elif isinstance(known, dict) and isinstance(value, dict):
        for inner, more in value.items():
            _join(known, inner, more, twice)
    else:
        made[name] = value


def _unexamined(
    path: str, lists: dict[str, Any], scope: str, cut: list[RuleEntry]
) -> Iterator[RuleEntry]:
    """Yields each deny and ask that names its tool but is no rule; tools of what was cut ask."""
    for family in ("deny", "ask"):
        for text in _list_of(lists, family):
            if isinstance(text, str) and isinstance(parse_rule(text), RuleProblem):
                yield RuleEntry(family, text, scope, path)
    tools = {str(one.text).partition("(")[0] for one in cut if one.family != "allow"}
    for tool in sorted(tools):
        yield RuleEntry("ask", tool, scope, path)


def _list_of(lists: dict[str, Any], family: Family) -> list[Any]:
    texts = lists.get(family, [])
    return texts if isinstance(texts, list) else []


def rule_lists(
    lists: dict[str, Any], scope: str, origin: str = ""
) -> list[RuleEntry | FileProblem]:
    """Returns the rules of the seed's lists (`allow`, `ask`, `deny`) and what is wrong in them."""
    return list(_entries(origin, lists, scope))


def _entries(path: str, lists: dict[str, Any], scope: str) -> Iterator[RuleEntry | FileProblem]:
    for family in FAMILIES:
        texts = lists.get(family, [])
        if not isinstance(texts, list):
            yield FileProblem("file-list", family)
            continue
        for text in texts:
            parsed = parse_rule(text)
            if isinstance(parsed, RuleProblem):
                yield FileProblem(parsed.code, _as_written(text, parsed))
            else:
                yield RuleEntry(family, text.strip(" \t\n"), scope, path)


def _as_written(entry: object, problem: RuleProblem) -> str:
    """Returns an entry as the file has it; what is no text, as JSON."""
    if isinstance(entry, str):
        return shown(problem.text)
    try:
        return shown(json.dumps(entry, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return shown(problem.text)


def _why(error: Exception) -> str:
    return shown(str(error)) if isinstance(error, ValueError) else "nested too deeply"
