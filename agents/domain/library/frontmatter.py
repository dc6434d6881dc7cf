"""Frontmatter: the YAML header of a Markdown file, between two lines of `---`."""

from __future__ import annotations

import re
from typing import Any

import yaml

from agents.domain.library.problems import LibraryProblem

# where PyYAML is built without libyaml: the same, slower
Base: type[yaml.CSafeLoader | yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LONGEST_HEADER = 65_536
"""Characters; a megabyte of short values takes seconds."""
LONGEST_NUMBER = 100
"""Characters; some longer ones take seconds, and cannot be written out again."""
_HEADER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)


class Loader(Base):  # type: ignore[valid-type, misc]  # one of two, as PyYAML was built
    """Plain values only: no merged mappings, which multiply, and no number without end."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leaves `<<` where it stands: it is no value then, which is a broken header."""


def _number(loader: Loader, node: yaml.ScalarNode) -> int | float:
    if len(node.value) > LONGEST_NUMBER:
        raise yaml.constructor.ConstructorError(None, None, "a number is too long", node.start_mark)
    is_int = node.tag.endswith(":int")
    made: int | float = (loader.construct_yaml_int if is_int else loader.construct_yaml_float)(node)
    return made


Loader.add_constructor("tag:yaml.org,2002:int", _number)
Loader.add_constructor("tag:yaml.org,2002:float", _number)


def parse_frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """Returns the header's fields and the body. Raises `LibraryProblem`."""
    match = _HEADER.match(text)
    if match is None:
        raise LibraryProblem("no-header")
    if len(match[1]) > LONGEST_HEADER:
        raise LibraryProblem("header-long", most=LONGEST_HEADER)
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
