"""Own files: what may be wrong in the files of a person's ~/.maia, line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agents.domain.library.model_config import parse_model_config
from agents.domain.library.own_server import OwnServerProblem, parse_own_server
from agents.domain.library.problems import LibraryProblem
from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.rules.files import HOME_FILE, SETTINGS_FOLDER, FileProblem, read_rule_file
from agents.domain.rules.text import RuleProblem, parse_rule
from agents.domain.rules.verdict import gettext_noop, shown

SETTINGS, CONFIG, BASHRC, INPUTRC = "settings.json", "config.json", "bashrc", "inputrc"
NAMES = (SETTINGS, CONFIG, BASHRC, INPUTRC)
"""The files directly in ~/.maia, which no shell changes."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class LineProblem:
    """What is wrong, where: `line` counts from 1, 0 is the whole file.

    `blocks`: the file is not saved so; what only does not count here is.
    """

    line: int
    message: str
    entry: str = ""
    blocks: bool = True


def path_of(name: str) -> str:
    """Returns the path of one of `NAMES` as people write it."""
    return f"{SETTINGS_FOLDER}/{name}"


def problems_of(
    name: str,
    text: str,
    translate: Translate,
    language: str,
    *,
    with_server: bool,
    site: ModelServerInfo | None = None,
) -> tuple[LineProblem, ...]:
    """Returns what is wrong, or does not count, in the text of one of the files.

    `translate` is a person's gettext. `with_server`: what it says of a model server counts here;
    `site` has the administrator's figures.
    """
    if not text.strip() or name not in (SETTINGS, CONFIG):
        return ()
    broken = _json_problem(text)
    if broken is not None:
        return (LineProblem(broken, translate(_NOT_JSON)),)
    if name == CONFIG:
        return tuple(_config_problems(text, language))
    found = list(_rule_problems(text, translate))
    found.extend(_server_problems(text, language, with_server, site))
    return tuple(sorted(set(found), key=lambda one: (one.line, one.entry)))


_NOT_JSON = gettext_noop("This is not JSON.")


def _json_problem(text: str) -> int | None:
    """Returns the line at which the text stops being JSON; None if it is JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        return 0
    return None


def _rule_problems(text: str, translate: Translate) -> Iterator[LineProblem]:
    file = read_rule_file(HOME_FILE, text.encode(errors="replace"), "person")
    for problem in file.problems:
        line = _line_of(problem, text)
        yield LineProblem(line, problem.sentence(translate), problem.entry)


def _line_of(problem: FileProblem, text: str) -> int:
    """Returns the line of the text that holds the entry which is no rule."""
    for found in _STRING.finditer(text):
        value = json.loads(found[0], strict=False)
        parsed = parse_rule(value)
        is_same = isinstance(parsed, RuleProblem) and shown(parsed.text) == problem.entry
        if is_same or (value == problem.entry and problem.code == "file-list"):
            return text.count("\n", 0, found.start()) + 1
    return 0


def _config_problems(text: str, language: str) -> Iterator[LineProblem]:
    try:
        parse_model_config(text)
    except LibraryProblem as problem:
        yield LineProblem(_line_with('"model"', text), problem.sentence(language))


def _server_problems(
    text: str, language: str, allowed: bool, site: ModelServerInfo | None
) -> Iterator[LineProblem]:
    problems: tuple[OwnServerProblem, ...]
    blocks = False
    try:
        own = parse_own_server(text, allowed=allowed)
        problems = own.without_effect(site) if own is not None else ()
    except OwnServerProblem as problem:
        problems, blocks = (problem,), True
    for one in problems:
        names = str(one.values.get("name") or one.values.get("names") or "").split(", ")
        name = names[0] or ("LiteLLM_URL" if one.code == "url" else "")
        line = _line_with(f'"{name}"', text) if name else 0
        yield LineProblem(line, one.sentence(language), name, blocks)


def _line_with(word: str, text: str) -> int:
    at = text.find(word)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
