"""Tool parameters: what each tool takes (seeds M §8 and T), by its name; rules look here too."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from agents.domain.tools.input import BadInput, BadPath, Declared, Parameter
from agents.domain.tools.kinds import (
    Choice,
    Flag,
    Line,
    Lines,
    Objects,
    Path,
    SkillName,
    Text,
    Url,
    Whole,
    pair,
)
from agents.domain.tools.searches import MAX_CONTEXT, MODES
from agents.domain.tools.todos import SIGNS
from workspaces.domain.entries import FileError
from workspaces.domain.glob_expressions import compile_glob
from workspaces.domain.globs import fixed_part

LONGEST_PAGE = 100_000
"""Characters of a page that WebFetch returns at most."""
_CONTENT = ("contents", "text", "file_text", "file_content", "data", "body")
_HERE = re.compile(r"^(?:\./+)+")


def _glob(values: dict[str, Any]) -> dict[str, Any]:
    """Folders that the pattern begins with and that lead elsewhere become where the search begins.

    What remains of the pattern lies below `path`, which the rules look at.
    """
    path, pattern = _split(values["path"], _HERE.sub("", values["pattern"]))
    try:
        compile_glob(pattern)
    except FileError as error:
        raise BadPath(error, pattern) from None
    return {"pattern": pattern, "path": path}


def _split(path: str, pattern: str) -> tuple[str, str]:
    folder, _is_certain = fixed_part(pattern)
    rooted = pattern.startswith("/") or pattern.partition("/")[0] == "~"
    if pattern and not rooted and ".." not in folder.split("/"):
        return path, pattern
    name = pattern[len(folder) :].lstrip("/")
    if not name:  # without a wildcard, the last part is what is looked for
        folder, _, name = pattern.rstrip("/").rpartition("/")
    if name in ("", "..", "~"):
        raise BadInput("filled", "pattern")
    where = (folder or "/") if rooted else posixpath.join(path, folder)
    return Path().read(where), name


def _edits(values: dict[str, Any]) -> dict[str, Any]:
    """One pair at the top, or several in `edits`, or both."""
    if "old_string" in values or not values.get("edits"):
        return {**values, **pair(values, "old_string", "new_string")}
    return {name: value for name, value in values.items() if name != "new_string"}


def _mm_edits(values: dict[str, Any]) -> dict[str, Any]:
    """All pairs are in `edits`, one that came at the top too; at least one is needed."""
    first = [pair(values, "old", "new")] if "old" in values else []
    edits = [*first, *values.get("edits", ())]
    if not edits:
        raise BadInput("objects", "edits")
    rest = {name: values[name] for name in ("path", "dry_run") if name in values}
    return {"path": rest.pop("path"), "edits": edits, **rest}


def _pair(old: str, new: str, others: tuple[str, str], **how: bool) -> tuple[Parameter, Parameter]:
    return (
        Parameter(old, Text(), (others[0],), **how),
        Parameter(new, Text(), (others[1],), **how),
    )


_NAMES, _MM_NAMES = ("old_string", "new_string"), ("old", "new")
_FILE = Parameter("path", Path(), ("file_path",), required=True)
_FOLDER = Parameter("path", Path(or_here=True), ("file_path",), default=".")
_COMMAND = Declared((Parameter("command", Text(filled=True), required=True),))
_WRITTEN = Declared((_FILE, Parameter("content", Lines(), _CONTENT, required=True)))
_CONTEXT = Whole(most=MAX_CONTEXT)

DECLARED: Mapping[str, Declared] = MappingProxyType(
    {
        "Read": Declared(
            (
                _FILE,
                Parameter("offset", Whole(told=1)),
                Parameter("limit", Whole(least=1)),
            )
        ),
        "Glob": Declared(
            (Parameter("pattern", Text(filled=True), required=True), _FOLDER), joint=_glob
        ),
        "Grep": Declared(
            (
                Parameter("pattern", Line(), required=True),
                _FOLDER,
                Parameter("glob", Text()),
                Parameter("output_mode", Choice(MODES)),
                Parameter("-i", Flag()),
                Parameter("-n", Flag()),
                Parameter("-A", _CONTEXT),
                Parameter("-B", _CONTEXT),
                Parameter("-C", _CONTEXT),
                Parameter("head_limit", Whole()),
            )
        ),
        "Write": _WRITTEN,
        "Edit": Declared(
            (
                _FILE,
                *_pair(*_NAMES, _MM_NAMES),
                Parameter("edits", Objects(Declared(_pair(*_NAMES, _MM_NAMES, required=True)))),
                Parameter("dry_run", Flag()),
            ),
            joint=_edits,
        ),
        "Bash": _COMMAND,
        "TodoWrite": Declared(
            (
                Parameter(
                    "todos",
                    Objects(
                        Declared(
                            (
                                Parameter("content", Text(filled=True), required=True),
                                Parameter(
                                    "status",
                                    Choice(tuple(SIGNS)),
                                    required=True,
                                    default=next(iter(SIGNS)),
                                ),
                                Parameter("activeForm", Text()),
                            )
                        )
                    ),
                    required=True,
                ),
            )
        ),
        "WebFetch": Declared(
            (
                Parameter("url", Url(), required=True),
                Parameter("max_length", Whole(least=1, most=LONGEST_PAGE, told_most=True)),
            )
        ),
        "CurrentModel": Declared(),
        "ListModels": Declared(),
        "Skill": Declared(
            (
                Parameter("name", SkillName(), ("skill",), required=True),
                Parameter("arguments", Text()),
            )
        ),
        "Agent": Declared((Parameter("agent", Text(filled=True), ("name",), required=True),)),
        "bash": _COMMAND,
        "read_skill": Declared(
            (Parameter("name", SkillName(last=True), ("skill",), required=True),)
        ),
        "read_file": Declared(
            (
                _FILE,
                Parameter("start", Whole()),
                Parameter("end", Whole()),
                Parameter("numbered", Flag()),
            )
        ),
        "write_file": _WRITTEN,
        "edit_file": Declared(
            (
                _FILE,
                *_pair(*_MM_NAMES, _NAMES, told=False),
                Parameter(
                    "edits",
                    Objects(Declared(_pair(*_MM_NAMES, _NAMES, required=True))),
                    required=True,
                    default=(),
                ),
                Parameter("dry_run", Flag()),
            ),
            joint=_mm_edits,
        ),
    }
)
"""By name; a tool of a TOOL.json or an MCP server is none of them."""


def named_input(tool: str, received: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what was received with each parameter under its own name, for the rules."""
    declared = DECLARED.get(tool)
    return received if declared is None else declared.named(received)
