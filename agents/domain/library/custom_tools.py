"""Custom tools: a command line with parameters, described by a TOOL.json (seed M §10).

The line is split into arguments before any value is known, so that a value stays one argument.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.domain.library.problems import LibraryProblem
from agents.domain.rules.policy import ALIASES
from agents.domain.tools.input import BadInput, Declared, Parameter
from agents.domain.tools.kinds import Argument, Number

FILE_NAMES = ("TOOL.json", "tool.json")
ParameterType = Literal["number", "string"]

BUILT_IN = "Read Glob Grep Write Edit Bash TodoWrite WebFetch CurrentModel ListModels Skill"
RESERVED = frozenset({*BUILT_IN.split(), "Agent", "Mcp", "Redirect", *ALIASES})
"""Names no tool of a TOOL.json may take: built-in tools, and what rules mean by other names."""

_KINDS: dict[ParameterType, type[Number | Argument]] = {"number": Number, "string": Argument}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\{\{([^{}]*)\}\}")
# a string that never ends is taken whole too: else each quote in it would be tried as a beginning
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*(?:"|\\?\Z))|,(?=\s*[\]}])', re.DOTALL)
LONGEST_RUN = 32_768
"""Characters of a command line; splitting a longer one takes seconds."""


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One parameter; without a default it must be given."""

    name: str
    type: ParameterType
    description: str = ""
    default: str | None = None


@dataclass(frozen=True, slots=True)
class CustomTool:
    """A valid definition. `run` is the split line, its words still with `{{parameter}}` places."""

    name: str
    description: str
    parameters: tuple[ToolParameter, ...]
    run: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """What the model is told of the parameters, as JSON Schema."""
        return self.declared.schema

    @property
    def declared(self) -> Declared:
        """The parameters, as the input of a call is read."""
        return Declared(tuple(_declared(each) for each in self.parameters))


def parse_tool(folder: str, text: str, reserved: frozenset[str] = frozenset()) -> CustomTool:
    """Reads the TOOL.json in the folder `folder`. Raises `LibraryProblem`."""
    definition = _loaded(text)
    name = definition.get("name", folder)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise LibraryProblem("tool-name", name=str(name)[:80])
    if name in reserved or name.startswith("mcp__"):
        raise LibraryProblem("reserved", name=name)
    command = definition.get("command")
    if not isinstance(command, dict):
        raise LibraryProblem("no-command")
    parameters = _parameters(command.get("parameters", []))
    run = _run_line(command.get("run"), {parameter.name for parameter in parameters})
    return CustomTool(name, _description(definition), parameters, run)


def definition_digest(tool: CustomTool, where: str) -> str:
    """Returns what stands for this definition in this place (`where`: a workspace or a home)."""
    parameters = [[one.name, one.type, one.description, one.default] for one in tool.parameters]
    definition = [where, tool.name, tool.description, parameters, tool.run]
    return hashlib.sha256(json.dumps(definition).encode()).hexdigest()


def fill(tool: CustomTool, input: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the arguments of a call whose input was read, as many as the line has words."""
    return tuple(_PLACE.sub(lambda place: str(input[place[1].strip()]), word) for word in tool.run)


def without_trailing_commas(text: str) -> str:
    """Returns JSON without the commas before `]` and `}` that people leave there."""
    return _TRAILING_COMMA.sub(lambda match: match[1] or "", text)


def _loaded(text: str) -> dict[str, Any]:
    try:
        definition = json.loads(without_trailing_commas(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError) as error:
        raise LibraryProblem("broken-json", cause=_cause(error)) from error
    if not isinstance(definition, dict):
        raise LibraryProblem("no-object")
    return definition


def _cause(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}: {error.msg}"
    return str(error)[:200]


def _description(definition: dict[str, Any]) -> str:
    value = definition.get("description")
    if not isinstance(value, str) or not value.strip():
        raise LibraryProblem("no-description")
    return value.strip()


def _parameters(given: object) -> tuple[ToolParameter, ...]:
    if not isinstance(given, list):
        raise LibraryProblem("no-list")
    found = tuple(_parameter(one) for one in given)
    names = [parameter.name for parameter in found]
    double = next((name for name, times in Counter(names).items() if times > 1), None)
    if double is not None:
        raise LibraryProblem("parameter-twice", name=double)
    return found


def _parameter(given: object) -> ToolParameter:
    if not isinstance(given, dict):
        raise LibraryProblem("parameter")
    name = given.get("name")
    if not isinstance(name, str) or not _PARAMETER.fullmatch(name):
        raise LibraryProblem("parameter-name", name=str(name)[:80])
    kind = given.get("type")
    if kind not in ("number", "string"):
        raise LibraryProblem("parameter-type", type=str(kind)[:80], name=name)
    description = given.get("description", "")
    if not isinstance(description, str):
        raise LibraryProblem("parameter-description", name=name)
    return ToolParameter(name, kind, description, _default(given.get("default"), name, kind))


def _default(value: object, name: str, kind: ParameterType) -> str | None:
    if value is None:
        return None
    try:
        return str(_KINDS[kind]().read(value))
    except BadInput:
        raise LibraryProblem("default", name=name) from None


def _run_line(run: object, known: set[str]) -> tuple[str, ...]:
    if not isinstance(run, str) or not run.strip():
        raise LibraryProblem("no-run")
    if len(run) > LONGEST_RUN:
        raise LibraryProblem("run-long", most=LONGEST_RUN)
    if "\0" in run:
        raise LibraryProblem("nul")
    lexer = shlex.shlex(_PLACE.sub(lambda place: _place(place[1]), run), posix=True)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        words = tuple(lexer)
    except ValueError as error:
        raise LibraryProblem("quote") from error
    places = (place.strip() for word in words for place in _PLACE.findall(word))
    unknown = next((place for place in places if place not in known), None)
    if unknown is not None:
        raise LibraryProblem("undeclared", place=_place(unknown))
    if not words or not words[0] or _PLACE.search(words[0]):
        raise LibraryProblem("program")
    return words


def _place(name: str) -> str:
    return f"{{{{{name.strip()}}}}}"


def _declared(one: ToolParameter) -> Parameter:
    kind = _KINDS[one.type](one.description)
    return Parameter(one.name, kind, required=one.default is None, default=one.default)
