"""PathRules: patterns on paths, relative to the workspace's root (seed M §9.3)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agents.domain.patterns import PathGlob
from agents.domain.rule_text import Family
from agents.domain.rule_verdict import PolicyContext, Rule

MAX_PATH = 8_192
_WILD = frozenset("*?[{\\")


@dataclass(frozen=True, slots=True)
class PlacedPath:
    """A normalised path in the forms patterns may be written in; None where it has no such form."""

    absolute: str
    relative: str | None
    in_home: str | None


def place(path: str, context: PolicyContext) -> PlacedPath | None:
    """Normalises `path` without touching the disk; None if it is no path."""
    if "\x00" in path or len(path) > MAX_PATH or not path:
        return None
    if path == "~" or path.startswith("~/"):
        path = f"{context.home}/{path[2:]}"
    absolute = posixpath.normpath(posixpath.join(context.root, path))
    absolute = "/" + absolute.lstrip("/")
    return PlacedPath(absolute, _below(absolute, context.root), _below(absolute, context.home))


def _below(path: str, folder: str) -> str | None:
    folder = "/" + posixpath.normpath(folder).strip("/")
    if path == folder:
        return "."
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


@dataclass(frozen=True, slots=True)
class _PathPattern:
    rule: Rule
    glob: PathGlob
    base: str  # "relative", "absolute", "home" or "anywhere"

    def form(self, path: PlacedPath) -> str | None:
        forms = {"relative": path.relative, "home": path.in_home}
        return forms.get(self.base, path.absolute)


@dataclass(slots=True)
class PathRules:
    """The rules of one family for one path tool."""

    bare: list[Rule] = field(default_factory=list)
    patterns: list[_PathPattern] = field(default_factory=list)

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> PathRules:
        """Compiles `rules`."""
        index = cls()
        for rule in rules:
            if rule.parsed.pattern is None:
                index.bare.append(rule)
            else:
                index.patterns.append(_compiled(rule, rule.parsed.pattern, rule.entry.family))
        return index

    def matching(self, path: PlacedPath) -> Iterator[Rule]:
        """Yields the rules with a pattern that cover `path`."""
        for pattern in self.patterns:
            form = pattern.form(path)
            if form is not None and pattern.glob.matches(form):
                yield pattern.rule

    def below(self, path: PlacedPath) -> Iterator[Rule]:
        """Yields the rules that cover something inside the folder `path`."""
        for pattern in self.patterns:
            if self._reaches(pattern, path):
                yield pattern.rule

    @staticmethod
    def _reaches(pattern: _PathPattern, path: PlacedPath) -> bool:
        form = pattern.form(path)
        if form is None:  # a search from above the root, or from elsewhere
            return pattern.base == "relative" and path.absolute == "/"
        return pattern.glob.may_be_below(form)


def _compiled(rule: Rule, text: str, family: Family) -> _PathPattern:
    if text == "~" or text.startswith("~/"):
        return _PathPattern(rule, PathGlob.of(_normal(text[2:])), "home")
    if text.startswith("/"):
        return _PathPattern(rule, PathGlob.of(_normal(text)), "absolute")
    is_anywhere = family != "allow" and (text == "**" or text.startswith("**/"))
    return _PathPattern(rule, PathGlob.of(_normal(text)), "anywhere" if is_anywhere else "relative")


def _normal(text: str) -> str:
    """Resolves `..` where no wildcard stands before it (others are refused when parsed)."""
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def search_base(tool: str, input: dict[str, Any], context: PolicyContext) -> PlacedPath | None:
    """Returns the folder a Glob or Grep call searches; None if that is not certain."""
    path = input.get("path")
    if path is None or path == "":
        path = "."
    if not isinstance(path, str):
        return None
    if tool == "Grep":
        return place(path, context)
    pattern = input.get("pattern")
    if not isinstance(pattern, str) or not pattern or pattern.startswith("~"):
        return None
    fixed, is_certain = _fixed_part(pattern)
    return place(posixpath.join(path, fixed) if fixed else path, context) if is_certain else None


def _fixed_part(pattern: str) -> tuple[str, bool]:
    """Returns the folders before the first wildcard; not certain if `..` follows it."""
    parts = pattern.split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD & set(part)), len(parts))
    rest = "/".join(parts[wild:])
    is_plain = ".." not in rest and not any(sign in rest for sign in ("/~", "{/", ",/", "{~", ",~"))
    fixed = "/".join(parts[:wild])
    return (fixed or ("/" if pattern.startswith("/") else "")), is_plain
