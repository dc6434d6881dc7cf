"""File references: `@path` and `$path` in what a person typed (seeds M §11.4 and S)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from agents.domain.typed.mentions import by_lower_name, mention_at, without_code
from agents.domain.typed.shell_input import print_quoted, read_quoted

MOST = 200
MOST_DOLLARS = 10
"""No more files than this are joined with `$` (seed S)."""

_START = re.compile(r"(?<![\w@./\\$-])@[ \t]*|(?<![^\s(\[{\"'«])\$(?=[~./]*[^\W\d_])")
_WORD = re.compile(r"[^\s'`]\S*")
_QUOTED = re.compile(r"'(?:\\'|(?!\\')[^'\n])*'")
_ENDINGS = ".,;:!?…)]}>»\"'"
_ENDS = (
    "bat bib c cc cfg cfm cjs clj conf cpp cs css csv dart diff docx ex exs fish gif go gradle h "
    "hpp hs htm html ini ipynb java jl jpeg jpg js json jsonl jsx kt kts less lock log lua md mdx "
    "mjs ml mm nix odt org patch pdf php pl png po pot pptx proto ps1 py pyi r rb rs rst rtf sass "
    "sbt scala scss sh sql svelte svg swift tar tex tf toml ts tsv tsx txt vue webp xlsx xml yaml "
    "yml zip zsh"
)
_PATH = re.compile(
    rf"(?:~|/|\.{{1,2}}/).*|.+/\Z|.*[\w)\]-]\.(?:{'|'.join(_ENDS.split())})\Z",
    re.DOTALL | re.IGNORECASE,
)
_VARIABLE = re.compile(r"[A-Za-z_]\w*[/\\:]")
_DECORATOR = re.compile(r"[A-Za-z_][\w.]*\(")
_IN_QUOTES = ('"', "'")
_PLAIN = re.compile(r"[^\s'`@$\\]+")


@dataclass(frozen=True, slots=True)
class FileReference:
    """A possible file: `candidates` are paths to try in order, the first one as it was typed.

    `is_path`: it can hardly be anything else, so that somebody wants to hear if there is no such
    file. `@types/node`, `$HOME/.cache` and `"@/lib/x"` are files only where they exist.
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
        if reference and prose[: start.start()].endswith(_IN_QUOTES):
            reference = replace(reference, is_path=False)
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
    if _DECORATOR.match(word[0]):
        return None, word.end()
    trimmed = word[0].rstrip(_ENDINGS)
    candidates = (trimmed,) if sign == "$" else tuple(dict.fromkeys((word[0], trimmed)))
    paths = tuple(path for path in candidates if path)
    if not paths:
        return None, word.end()
    is_path = bool(_PATH.match(paths[-1]))
    if sign == "$":
        is_path = is_path and not _VARIABLE.match(paths[-1])
    return FileReference(paths, is_path, sign), word.end()
