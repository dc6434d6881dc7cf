"""Warnings: files with settings, skills or tools that are broken, as one person sees them."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.library.found import Library, SettingsFiles, Warned
from agents.domain.library.own_server import FILE, OwnServerProblem
from agents.domain.rules.files import RuleFiles
from maia_web.lib.values import Value

_SAID_BY_RULES = frozenset({"json", "object", "read"})
"""What is wrong with a settings file as a whole: its reading as a file with rules says it."""


class FileWarning(Value):
    """A broken file as people read its path, the `entry` of it that is meant, and why."""

    file: str
    entry: str | None = None
    message: str


def library_warnings(library: Library) -> tuple[FileWarning, ...]:
    """Returns the skills and tools that were skipped (seeds M §10.2, §11.3)."""
    return _said(library.warnings)


def settings_warnings(found: SettingsFiles) -> tuple[FileWarning, ...]:
    """Returns what is wrong in settings.json and config.json of the workspace and the person."""
    return (*_rules(found.rules), *_own_server(found.own_server), *_said(found.model_config))


def _said(warnings: Iterable[Warned]) -> tuple[FileWarning, ...]:
    language = get_language() or "en"
    return tuple(
        FileWarning(file=one.path, message=one.problem.sentence(language)) for one in warnings
    )


def _rules(files: RuleFiles) -> Iterable[FileWarning]:
    for file in (files.home, files.workspace):
        for problem in file.problems:
            message = problem.sentence(_)
            yield FileWarning(file=file.path, entry=problem.entry or None, message=message)


def _own_server(problems: Iterable[OwnServerProblem]) -> Iterable[FileWarning]:
    language = get_language() or "en"
    for problem in problems:
        if problem.code not in _SAID_BY_RULES:
            yield FileWarning(file=FILE, message=problem.sentence(language))
