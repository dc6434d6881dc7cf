"""File references: `@path` and `$path` in what a person typed (seeds M §11.4 and S)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from agents.domain.typed.mentions import by_lower_name, mention_at, without_code
from agents.domain.typed.shell_input import print_quoted, read_quoted

MOST = 200
MOST_DOLLARS = 10
"""More files than this joined with `$` are an error (seed S)."""

_START = re.compile(r"(?<![\w@./\\$-])@[ \t]*|(?<![^\s(\[{\"'«])\$(?=[~./]*[^\W\d_])")
_WORD = re.compile(r"[^\s'`]\S*")
_QUOTED = re.compile(r"'(?:\\'|(?!\\')[^'\n])*'")
_ENDINGS = ".,;:!?…)]}>»\"'"
_PATH = re.compile(r"~|.*/|.*[\w-]\.[A-Za-z][A-Za-z0-9]{0,4}\Z", re.DOTALL)
_PLAIN = re.compile(r"[^\s'`@$\\]+")


@dataclass(frozen=True, slots=True)
class FileReference:
    """A possible file: `candidates` are paths to try in order, the first one as it was typed.

    `is_path`: it looks like one, so that somebody wants to hear if there is no such file.
    """

    candidates: tuple[str, ...]
    is_path: bool
    sign: str = "@"


def parse_references(text: str, agents: Collection[str] = ()) -> tuple[FileReference, ...]:
    """Returns what may name a file, each once, at most 200; the names of agents do not."""
    by_name = by_lower_name(agents)
    found: dict[tuple[str, ...], FileReference] = {}
    for reference in _references(without_code(text), text, by_name):
        found.setdefault(reference.candidates, reference)
        if len(found) == MOST:
            break
    return tuple(found.values())


def too_many_dollars(references: Collection[FileReference]) -> bool:
    """Tells whether more than ten files are joined with `$`."""
    return sum(one.sign == "$" and one.is_path for one in references) > MOST_DOLLARS


def print_reference(path: str) -> str:
    """Returns `@path`, in quotes where it needs them, as `parse_references` reads it."""
    plain = _PLAIN.fullmatch(path) and path[-1] not in _ENDINGS
    return f"@{path}" if plain else f"@{print_quoted(path)}"


def _references(prose: str, text: str, by_name: dict[str, str]) -> Iterator[FileReference]:
    at = 0
    while (start := _START.search(prose, at)) is not None:
        at = start.end()
        if mention_at(prose, start.start(), by_name):
            continue
        reference, at = _reference(prose, text, start[0][0], at)
        if reference and not by_name.keys() & {each.lower() for each in reference.candidates}:
            yield reference


def _reference(prose: str, text: str, sign: str, at: int) -> tuple[FileReference | None, int]:
    """Returns the reference whose path begins at `at`, if any, and where to go on."""
    quoted = _QUOTED.match(prose, at) if sign == "@" else None
    if quoted is not None:
        path = read_quoted(text, at)[0]
        return (FileReference((path,), True) if path.strip() else None), quoted.end()
    word = _WORD.match(prose, at)
    if word is None:
        return None, at
    trimmed = word[0].rstrip(_ENDINGS)
    candidates = (trimmed,) if sign == "$" else tuple(dict.fromkeys((word[0], trimmed)))
    paths = tuple(path for path in candidates if path)
    if not paths:
        return None, word.end()
    return FileReference(paths, bool(_PATH.match(paths[-1])), sign), word.end()
