"""Rules and links: what a rule says of a path also holds for the file that it really names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from agents.domain.rules.judgement import Judgement
from agents.domain.rules.paths import PathRules, PlacedPath, place
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import PolicyContext, Rule
from workspaces.domain.entries import FileError
from workspaces.domain.real_paths import Reaches

STRICT: tuple[Family, Family] = ("deny", "ask")


@dataclass(frozen=True, slots=True)
class Named:
    """A path as it was written, where links lead from there, and further names of that file."""

    written: PlacedPath
    leads: PlacedPath | None = None
    others: tuple[PlacedPath, ...] = ()
    is_certain: bool = True

    @property
    def strict(self) -> Iterator[PlacedPath]:
        """Yields every name, for deny and ask."""
        yield self.written
        if self.leads is not None:
            yield self.leads
        yield from self.others

    @property
    def shown(self) -> str:
        """The path, and where it leads, for people."""
        text = written_form(self.written)
        return text if self.leads is None else f"{text} → {written_form(self.leads)}"


def written_form(path: PlacedPath) -> str:
    """Returns a path from the workspace's root, else in full."""
    return path.relative or path.absolute


def named(written: PlacedPath, text: str, reaches: Reaches, context: PolicyContext) -> Named:
    """Looks up what `text` names, as far as `context` can; `written` is where it seems to be.

    `reaches`: in which folders a further name of the file would matter.
    """
    if context.real is None:
        return Named(written)
    try:
        real = context.real(_absolute(text, context), reaches)
    except FileError:
        return Named(written, is_certain=False)
    found = place(real.path, context)
    leads = None if found is None or found.absolute == written.absolute else found
    others = (place(name, context) for name in real.others)
    return Named(written, leads, tuple(one for one in others if one is not None))


def reach(folder: str, rules: dict[Family, PathRules], context: PolicyContext) -> bool:
    """Says whether a deny or ask may be about something in a folder."""
    placed = place(folder, context)
    return placed is not None and any(
        next(rules[family].below(placed), None) is not None for family in STRICT
    )


def hit_strict(
    name: Named, rules: dict[Family, PathRules], found: Judgement, shown: str = ""
) -> None:
    """Adds the deny and ask rules about any of the names."""
    for family in STRICT:
        for rule in strict_rules(name, rules[family]):
            found.hit(family, rule, shown or name.shown)


def strict_rules(name: Named, rules: PathRules) -> list[Rule]:
    """Returns the rules about any of the names, each once."""
    return list(dict.fromkeys(rule for path in name.strict for rule in rules.matching(path)))


def covering(name: Named, rules: PathRules) -> list[Rule]:
    """Returns the rules that allow the path as written, none where they leave out its file.

    Other names of the file need no rule of their own.
    """
    found = list(rules.matching(name.written))
    if not name.is_certain or (name.leads and next(rules.matching(name.leads), None) is None):
        return []
    return found


def _absolute(text: str, context: PolicyContext) -> str:
    """Returns the path in full with its `..`, which the disk resolves otherwise after a link."""
    if text == "~" or text.startswith("~/"):
        return f"{context.home}/{text[2:]}"
    return posixpath.join(context.root, text)
