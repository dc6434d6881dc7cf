"""Files that run later, by themselves: the places that programs run or obey unasked.

Who may write everything (`Write(**)`, `Bash(cp *)`) may not therefore write these: what stands
there runs without anybody starting it, as whoever works in the folder next. Which places they are
is data, in `places.toml`; what covers them is in `agents.domain.rules.later_cover`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from agents.domain.rules.paths import PlacedPath
from agents.domain.shell.patterns import Wildcard

UNKNOWN = "\U0010fffe"
"""Stands in a path for text that only bash knows. A character that is none."""
HOME = "~"
"""Who obeys the files whose name begins with a dot, directly in a home: any program."""
GIT = "git"
Folder = Literal["anywhere", "workspace", "home"]
_AS_OPTION = re.compile(r"^-(?:-[a-z-]+=|[a-z])")
"""A file `-t.husky` is an option of `cp *`."""
_QUOTES = str.maketrans("", "", "'\"\\")


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A place in a path. `by`: the program that runs or obeys it; `levels`: what names it.

    `is_sure`: not so where the path holds something that only bash knows.
    """

    by: str
    levels: tuple[str, ...]
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of the table."""

    by: str
    names: tuple[str, ...]
    folder: Folder
    source: str
    spared: tuple[tuple[str, ...], ...] = ()


@cache
def table() -> tuple[Entry, ...]:
    """Returns every name with its program and source."""
    text = files(__name__).joinpath("places.toml").read_text(encoding="utf-8")
    return tuple(entry for line in tomllib.loads(text)["place"] for entry in _entries(line))


def _entries(line: dict[str, Any]) -> Iterator[Entry]:
    spared = tuple(tuple(one.split("/")) for one in line.get("except", "").split())
    for name in line["names"].split():
        levels = tuple(folded(level) for level in name.split("/"))
        yield Entry(line["by"], levels, line.get("in", "anywhere"), line["source"], spared)


def folded(level: str) -> str:
    """Returns the form in which two spellings of one name are equal, as on some file systems.

    HFS+ and APFS know neither case nor invisible characters, NTFS no dots and blanks at the end.
    """
    if level.isascii() and level.islower():
        return level.rstrip(". ") or level
    normal = unicodedata.normalize("NFKC", level).casefold()
    visible = "".join(char for char in normal if unicodedata.category(char) != "Cf")
    return visible.partition(":")[0].rstrip(". ") or visible


def obeyed_places(path: PlacedPath, *, may_be_any: bool = False) -> tuple[Obeyed, ...]:
    """Returns the places that lie on the way of `path`, outermost first; what is in a .git is one.

    `may_be_any`: what only bash knows in it may be the name of a place, see `mentions_place`.
    """
    found: list[Obeyed] = []
    for folder, levels in _views(path):
        parts = [folded(level) for level in levels]
        for at in range(len(parts)):
            obeyed = _at(parts, at, folder, may_be_any=may_be_any)
            if obeyed is not None and obeyed not in found:
                found.append(obeyed)
            if obeyed is not None and obeyed.by == GIT:
                break
    return tuple(found)


def _views(path: PlacedPath) -> Iterator[tuple[Folder, list[str]]]:
    """Yields the levels of the path from each folder that entries are about."""
    yield "anywhere", path.absolute.strip("/").split("/")
    if path.relative is not None:
        yield "workspace", path.relative.split("/")[:1]
    if path.in_home is not None:
        yield "home", path.in_home.split("/")


def _at(parts: Sequence[str], at: int, folder: Folder, *, may_be_any: bool) -> Obeyed | None:
    if folder == "home" and at:
        return None
    first = _AS_OPTION.sub("", parts[at]) or parts[at]
    for entry in _candidates(first, folder):
        levels = (first, *parts[at + 1 : at + len(entry.names)])
        if _fits(entry, levels, may_be_any=may_be_any) and not _is_spared(entry, parts):
            is_sure = not any(UNKNOWN in level for level in levels)
            return Obeyed(entry.by, levels, is_sure)
    return None


@cache
def _index() -> dict[tuple[Folder, str], tuple[Entry, ...]]:
    """The entries by their first name, which may be `.*`, or `*.` and an ending."""
    index: dict[tuple[Folder, str], tuple[Entry, ...]] = {}
    for entry in table():
        key = (entry.folder, entry.names[0])
        index[key] = (*index.get(key, ()), entry)
    return index


def _candidates(level: str, folder: Folder) -> Iterator[Entry]:
    if UNKNOWN in level:
        others = (entry for entry in table() if entry.folder == folder)
        yield from (entry for entry in others if not _is_ending(entry) or "." in level)
        return
    _, dot, ending = level.rpartition(".")
    names = [level, f"*.{ending}", ".*"] if dot else [level]
    for name in names:
        yield from _index().get((folder, name), ())


def _is_ending(entry: Entry) -> bool:
    return len(entry.names) == 1 and entry.names[0].startswith("*.")


def _fits(entry: Entry, levels: Sequence[str], *, may_be_any: bool) -> bool:
    if may_be_any and any(UNKNOWN in level for level in levels):
        return True
    pairs = list(zip(entry.names, levels, strict=False))
    if len(pairs) < len(entry.names) or not all(_level_fits(*pair) for pair in pairs):
        return False
    return all(map(_is_known, levels)) or any(_says_so(*pair) for pair in pairs)


def _level_fits(name: str, level: str) -> bool:
    """What is wholly unknown is no name with a dot: wildcards leave those out, as bash does."""
    if not _is_known(level):
        return name[0] not in ".*"
    if UNKNOWN in level:
        return Wildcard.of(name).may_meet(Wildcard.of(level, UNKNOWN))
    return name == level if "*" not in name else Wildcard.of(name).matches(level)


def _is_known(level: str) -> bool:
    return bool(level.strip(UNKNOWN))


def _says_so(name: str, level: str) -> bool:
    """Says whether what is known of a level speaks for `name`, beside one that is unknown."""
    return _is_known(level) and "*" not in name


def _is_spared(entry: Entry, parts: Sequence[str]) -> bool:
    return any(tuple(parts[: len(one)]) == one for one in entry.spared)


def mentions_place(text: str) -> bool:
    """Says whether a command line holds the name of a place, so that a variable may become it."""
    return bool(_names().search(folded_text(text)))


def folded_text(text: str) -> str:
    """Returns a command line without quotes, as names are compared."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)


@cache
def _names() -> re.Pattern[str]:
    names = ("/".join(entry.names).strip("*") for entry in table() if entry.folder != "home")
    literal = sorted({name for name in names if "*" not in name}, key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, literal))})(?![\w-])")
