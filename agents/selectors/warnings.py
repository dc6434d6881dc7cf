"""Warnings: files with settings, skills or tools that are broken, as one person sees them."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.library.found import Library, Warned
from agents.domain.library.own_server import FILE, OwnServerProblem
from agents.library.found import library_of
from agents.library.model_config import configured_model
from agents.library.own_server import own_server
from agents.library.rule_files import home_rules, workspace_rules
from maia_web.lib.values import Value
from workspaces.domain.places import Place

_SAID_BY_RULES = frozenset({"json", "object", "read"})
"""What is wrong with a settings file as a whole: its reading as a file with rules says it."""


class FileWarning(Value):
    """A broken file as people read its path, the `entry` of it that is meant, and why."""

    file: str
    entry: str | None = None
    message: str


def warnings_of(place: Place) -> tuple[FileWarning, ...]:
    """Returns what is broken in workspace, team library and home, in the reader's language."""
    return (*settings_warnings(place), *library_warnings(library_of(place)))


def library_warnings(library: Library) -> tuple[FileWarning, ...]:
    """Returns the skills and tools that were skipped (seeds M §10.2, §11.3)."""
    return _said(library.warnings)


def settings_warnings(place: Place) -> tuple[FileWarning, ...]:
    """Returns what is wrong in settings.json and config.json of the workspace and the person."""
    return (*_rules(place), *_own_server(place), *_said(configured_model(place)[1]))


def _said(warnings: Iterable[Warned]) -> tuple[FileWarning, ...]:
    language = get_language() or "en"
    return tuple(
        FileWarning(file=one.path, message=one.problem.sentence(language)) for one in warnings
    )


def _rules(place: Place) -> Iterable[FileWarning]:
    for file in (home_rules(place), workspace_rules(place)):
        for problem in file.problems:
            message = problem.sentence(_)
            yield FileWarning(file=file.path, entry=problem.entry or None, message=message)


def _own_server(place: Place) -> Iterable[FileWarning]:
    try:
        own_server(place)
    except OwnServerProblem as problem:
        if problem.code not in _SAID_BY_RULES:
            language = get_language() or "en"
            yield FileWarning(file=FILE, message=problem.sentence(language))
