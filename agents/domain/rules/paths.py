"""PathRules: patterns on paths, relative to the workspace's root (seed M §9.3)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agents.domain.rules.lead_index import LeadIndex
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import PolicyContext, Rule
from workspaces.domain.globs import PathGlob, fixed_part, placed_texts
from workspaces.domain.names import all_forms, one_form
from workspaces.domain.spelling import spelled_pattern

MAX_PATH = 4_096
MAX_FOLDERS = 400


@dataclass(frozen=True, slots=True)
class PlacedPath:
    """A normalised path in the forms patterns may be written in; None where it has no such form."""

    absolute: str
    relative: str | None
    in_home: str | None
    context: PolicyContext

    def holds(self, folder: str) -> bool:
        """Says whether `folder` lies below this path."""
        return _below(_absolute(folder), self.absolute) is not None

    def from_root(self) -> str:
        """Returns the path from the workspace's root, with `..` where it leaves it."""
        return posixpath.relpath(self.absolute, _absolute(self.context.root))


def place(path: str, context: PolicyContext) -> PlacedPath | None:
    """Normalises `path` without touching the disk; None if it is no path."""
    if "\x00" in path or not 0 < len(path) <= MAX_PATH or path.count("/") > MAX_FOLDERS:
        return None
    if path == "~" or path.startswith("~/"):
        path = f"{context.home}/{path[2:]}"
    absolute = _absolute(posixpath.join(context.root, path))
    relative, in_home = (_below(absolute, _absolute(f)) for f in (context.root, context.home))
    return PlacedPath(absolute, relative, in_home, context)


def _absolute(path: str) -> str:
    return "/" + posixpath.normpath(path).strip("/")


def _below(path: str, folder: str) -> str | None:
    if path == folder:
        return "."
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A rule's pattern and what it is compared with: see `form`."""

    rule: Rule
    glob: PathGlob
    base: str  # "relative", "outside", "absolute", "home" or "anywhere"

    def form(self, path: PlacedPath) -> str | None:
        """Returns the form of `path` that the pattern is about; None where it has none."""
        return _form(self.base, path)

    def matches(self, path: PlacedPath) -> bool:
        """Says whether the pattern covers `path`."""
        form = self.form(path)
        return form is not None and (self.glob.matches(form) or self._is_alike(form))

    def _is_alike(self, form: str) -> bool:
        """For deny and ask, two forms of a letter or a blank are one, as on some file systems."""
        if form.isascii() or self.rule.entry.family == "allow":
            return False
        return self.glob.matches(one_form(form))


def _form(base: str, path: PlacedPath) -> str | None:
    if base == "outside":
        return path.from_root()
    return {"relative": path.relative, "home": path.in_home}.get(base, path.absolute)


@dataclass(slots=True)
class PathRules:
    """The rules of one family for one path tool. `leads`: numbers of `patterns`, by their base."""

    bare: list[Rule] = field(default_factory=list)
    patterns: list[PathPattern] = field(default_factory=list)
    leads: dict[str, LeadIndex] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """How many comparisons one path takes."""
        return sum(pattern.glob.width for pattern in self.patterns)

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> PathRules:
        """Compiles `rules`."""
        index = cls()
        for rule in rules:
            if rule.parsed.pattern is None:
                index.bare.append(rule)
            else:
                for pattern in compiled_paths(rule):
                    leads = index.leads.setdefault(pattern.base, LeadIndex())
                    leads.add(len(index.patterns), pattern.glob)
                    index.patterns.append(pattern)
        return index

    def matching(self, path: PlacedPath) -> Iterator[Rule]:
        """Yields the rules with a pattern that cover `path`."""
        return _once(pattern.rule for pattern in self.near(path) if pattern.matches(path))

    def near(self, path: PlacedPath) -> Iterator[PathPattern]:
        """Yields the patterns that may cover `path`, in their order."""
        numbers: set[int] = set()
        for base, leads in self.leads.items():
            form = _form(base, path)
            for one in () if form is None else all_forms((form,)):  # see `PathPattern.matches`
                numbers |= leads.covering(one)
        return map(self.patterns.__getitem__, sorted(numbers))

    def below(self, path: PlacedPath) -> Iterator[Rule]:
        """Yields the deny or ask rules that cover something inside the folder `path`."""
        sure: set[int] = set()
        near: dict[int, list[str]] = {}
        for base, leads in self.leads.items():
            form = _form(base, path)
            if form is None:  # a search from above the folder, or from elsewhere
                context = path.context
                is_above = path.holds(context.root if base == "relative" else context.home)
                sure |= leads.reaching(".") if is_above else set()
            elif base == "outside" and form.startswith(".."):
                sure |= leads.reaching(".")
            else:
                for one in all_forms((form,)):
                    for number in leads.reaching(one):
                        near.setdefault(number, []).append(one)
        return _once(
            self.patterns[number].rule
            for number in sorted(sure | near.keys())
            if number in sure or any(map(self.patterns[number].glob.may_be_below, near[number]))
        )


def _once(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields each rule once: the patterns of one stand side by side."""
    last = None
    for rule in rules:
        if rule is not last:
            yield rule
        last = rule


def compiled_paths(rule: Rule) -> tuple[PathPattern, ...]:
    """Compiles the pattern of a path rule: one for each base that its braces lead to."""
    texts = path_texts(rule.parsed.pattern or "", rule.entry.family)
    if len(texts) == 1:
        base, plain = _placed(texts[0], rule.entry.family)
        return (PathPattern(rule, PathGlob.of(plain), base),)
    globs: dict[str, list[PathGlob]] = {}
    for text in texts:
        base, plain = _placed(text, rule.entry.family)
        globs.setdefault(base, []).append(PathGlob.of(plain))
    return tuple(PathPattern(rule, PathGlob.any_of(found), base) for base, found in globs.items())


def path_texts(pattern: str, family: Family) -> list[str]:
    """Returns what a pattern is about, each in one place; raises `TooManyAlternatives`.

    Who forbids means more than is written: all forms of letters and blanks, blanks at the ends or
    not, and with a folder what is in it.
    """
    if family == "allow":
        return placed_texts(pattern)
    pattern = one_form(spelled_pattern(pattern))
    texts = [
        text for one in dict.fromkeys((pattern, pattern.strip())) for text in placed_texts(one)
    ]
    return [f"{text}**" if text.endswith("/") else text for text in texts]


def _placed(text: str, family: Family) -> tuple[str, str]:
    """Returns the base of a text, and the rest of it from there."""
    if text == "~" or text.startswith("~/"):
        return "home", _normal(text[2:])
    if text.startswith("/"):
        return "absolute", _normal(text)
    plain = _normal(text)
    if family != "allow" and (text == "**" or text.startswith("**/")):
        return "anywhere", plain
    return ("outside" if plain.startswith("..") else "relative"), plain


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
    fixed, is_certain = fixed_part(pattern)
    return place(posixpath.join(path, fixed) if fixed else path, context) if is_certain else None
