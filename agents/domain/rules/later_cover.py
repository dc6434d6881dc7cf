"""Which rules cover a file that programs run or obey unasked: only those that name its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.domain.rules.later import HOME, UNKNOWN, Obeyed, folded, obeyed_places
from agents.domain.rules.paths import PathPattern, PathRules, PlacedPath, place
from agents.domain.rules.real_paths import Named, named
from agents.domain.rules.verdict import PolicyContext, Rule
from agents.domain.shell.targets import Written
from agents.domain.shell.values import ANY
from workspaces.domain.globs import PathGlob, Segment, segment_tokens
from workspaces.domain.real_paths import everywhere
from workspaces.domain.spelling import spelled

MAX_LOOKED_UP = 50
"""Files of a command for which is looked where links lead; the sandbox is the wall for others."""
_QUOTES = str.maketrans("", "", "'\"")


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A place that no rule names: the code of a sentence, and who obeys it."""

    code: str
    by: str = ""


def uncovered_name(name: Named, rules: PathRules) -> Uncovered | None:
    """Returns why the allow `rules` do not cover writing a file, by any of its names."""
    for path in name.strict:
        for obeyed in obeyed_places(path):
            if not any(_names(pattern, path, obeyed) for pattern in rules.near(path)):
                return _uncovered(obeyed)
    return None


def uncovered_command(
    written: Iterable[Written],
    covering: Sequence[Rule],
    redirects: PathRules,
    context: PolicyContext,
    is_mentioned: Callable[[], bool],
) -> Uncovered | None:
    """Returns why neither the Bash rules `covering` nor a Redirect rule cover what is written.

    `is_mentioned`: whether the command line holds the name of a place, see `mentions_place`.
    """
    looked_up = 0
    for one in written:
        is_unsure = ANY in one.pattern
        path = place(spelled(one.pattern.replace(ANY, UNKNOWN)), context)
        if path is None:
            return Uncovered("later-unknown")
        name = Named(path)
        if not is_unsure and looked_up < MAX_LOOKED_UP:
            name, looked_up = named(path, spelled(one.pattern), everywhere, context), looked_up + 1
        may_be_any = is_unsure and (one.is_free or is_mentioned())
        for form in name.strict:
            for obeyed in obeyed_places(form, may_be_any=may_be_any):
                if not _is_named(obeyed, form, covering, redirects, context):
                    return _uncovered(obeyed)
    return None


def _uncovered(obeyed: Obeyed) -> Uncovered:
    if not obeyed.is_sure:
        return Uncovered("later-unknown")
    return Uncovered("later-home") if obeyed.by == HOME else Uncovered("later", obeyed.by)


def _is_named(
    obeyed: Obeyed,
    path: PlacedPath,
    covering: Sequence[Rule],
    redirects: PathRules,
    context: PolicyContext,
) -> bool:
    """Says whether a rule names the place; an exact Bash rule names all that stands in it."""
    if any(rule.parsed.is_exact for rule in covering):
        return True
    if not obeyed.is_sure:
        return False
    return any(_names(pattern, path, obeyed) for pattern in redirects.near(path)) or any(
        _holds(levels, obeyed.levels)
        for rule in covering
        for levels in _paths_in(rule.parsed.pattern or "", context)
    )


def _paths_in(command: str, context: PolicyContext) -> Iterator[tuple[Segment, ...]]:
    """Yields the levels of each word of a Bash rule's pattern, as a path."""
    for word in command.translate(_QUOTES).split():
        for text in (word, word.rpartition("=")[2]):
            found = place(text, context)
            if found is not None:
                yield tuple((level,) for level in found.absolute.split("/"))


def _names(pattern: PathPattern, path: PlacedPath, obeyed: Obeyed) -> bool:
    """Says whether an alternative of the pattern covers the path and writes the place out."""
    form = pattern.form(path)
    return form is not None and any(
        _holds(levels, obeyed.levels) and PathGlob((levels,)).matches(form)
        for levels in pattern.glob.alternatives
    )


def _holds(levels: Sequence[Segment], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(
        all(
            any(_literal(text) == name for text in level)
            for level, name in zip(levels[at : at + size], wanted, strict=True)
        )
        for at in range(len(levels) - size + 1)
    )


def _literal(text: str) -> str | None:
    """Returns what one level says without a wildcard, as names are compared; else None."""
    tokens = segment_tokens(text)
    if tokens is None:
        return folded(text)
    if any(token[0] != "\\" for token in tokens):
        return None
    return folded("".join(token[1:] for token in tokens))
