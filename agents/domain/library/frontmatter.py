"""Frontmatter: the YAML header of a Markdown file, between two lines of `---`."""

from __future__ import annotations

import re
from typing import Any

import yaml

from agents.domain.library.problems import LibraryProblem

# where PyYAML is built without libyaml: the same, slower
Loader: type[yaml.CSafeLoader | yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HEADER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)


def parse_frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """Returns the header's fields and the body. Raises `LibraryProblem`."""
    match = _HEADER.match(text)
    if match is None:
        raise LibraryProblem("no-header")
    try:
        fields = _loaded(match[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise LibraryProblem("broken-header", cause=_cause(error)) from error
    if not isinstance(fields, dict):
        raise LibraryProblem("empty-header")
    return {str(key): value for key, value in fields.items()}, text[match.end() :]


def _loaded(text: str) -> object:
    loader = Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _cause(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    return f"line {mark.line + 2}: {problem}" if mark is not None else problem
