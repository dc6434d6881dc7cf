"""Target and Written: the files that a line of bash writes, by redirection or by its programs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from agents.domain.shell.guards import line_of
from agents.domain.shell.programs import Program, table
from agents.domain.shell.values import ANY, ShellCommand, ShellScript, Word
from agents.domain.shell.wrappers import program
from agents.domain.shell.written import written_words
from workspaces.domain.globs import TooManyAlternatives, expanded_braces

MAX_PLACES = 20
MAX_HEADERS = 200
MAX_WRITTEN = 2_000
"""Files times folders of one command that are looked at; more may be any file."""
_DYNAMIC = frozenset("$`*?[]{}")
_MAKES_NOTHING = frozenset({"rm", "rmdir", "unlink", "shred", "mkdir"})
"""They leave no file with something in it."""
_ARCHIVES = frozenset({"tar", "bsdtar", "gtar", "unzip", "7z", "7za", "7zr", "cpio", "jar"})
_EXTRACTS = re.compile(r"-{0,2}[A-Za-z]*x[A-Za-z]*|--(?:extract|get)")
_HARD_LINKS = re.compile(r"-[A-Za-z]*[ls][A-Za-z]*|--(?:link|symbolic-link)")
_HEADER = re.compile(
    r"^(?:\+\+\+|---|rename to|copy to|Index:|diff --git)[ \t]+\"?([^\t\n\"]+)", re.MULTILINE
)
_HOME = re.compile(r"\$(?:HOME(?![A-Za-z0-9_])|\{HOME\})")
_EXPANSION = re.compile(
    r"\$(?:\{[^{}]*\}|[A-Za-z_][A-Za-z0-9_]*|[^A-Za-z0-9_(])|\{[^{},]*\.\.[^{},]*\}|\*+|\?|\[[^]/]*\]"
)
_CHANGED = re.compile(r"\$\{[A-Za-z0-9_]+[^A-Za-z0-9_}]")
_JOINED = re.compile(r"(?:\$(?:\w+|\{\w+\})){2}")


@dataclass(frozen=True, slots=True)
class Written:
    """A path that may be written, with ANY where only bash knows it.

    `is_free`: what is not known of it is put together, so that it may be any text.
    """

    pattern: str
    is_free: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A file a redirection writes. `texts`: what it may be, for deny and ask; so `written`."""

    text: str
    texts: tuple[str, ...]
    is_static: bool
    is_moved: bool
    written: tuple[Written, ...] = ()


def targets_of(script: ShellScript, places: Sequence[Word | None]) -> Iterator[Target]:
    """Yields the files the redirections of `script` write."""
    for redirects in (script.redirects, *(command.redirects for command in script.commands)):
        for redirect in redirects:
            if redirect.writes:
                yield _target(redirect.target, places)


def places_of(commands: Sequence[ShellCommand]) -> list[Word | None]:
    """Returns the folders `cd` may move to (None: the home); empty if the line never moves."""
    found: list[Word | None] = []
    for command in commands:
        if program(command.words) in ("cd", "pushd", "popd"):
            words = [word for word in command.words[1:] if not word.text.startswith("-")]
            found.append(words[0] if words else None)
    return list(dict.fromkeys(found))[:MAX_PLACES]


def _target(word: Word, places: Sequence[Word | None]) -> Target:
    text = word.text
    is_home = text == "~" or text.startswith("~/")
    is_static = (
        word.is_static
        and not _DYNAMIC & set(text)
        and (is_home or not text.startswith("~"))
        and not (is_home and word.raw[:1] != "~")
        and bool(text)
    )
    is_moved = bool(places) and not (text.startswith("/") or is_home)
    names = ["~" if place is None else place.text for place in places]
    moved = [posixpath.join(name, text) for name in names] if is_moved else []
    folders = ["~" if place is None else place.pattern for place in places]
    written = tuple(dict.fromkeys(_written(word, folders)))
    return Target(text, (text, *moved), is_static, is_moved, written)


def written_by(command: ShellCommand, folders: Sequence[str]) -> tuple[Written, ...]:
    """Returns the files that the program of `command` writes as far as the table knows it.

    `folders`: where it may run, after `cd`. What it only removes is not among them, nor what is
    in an archive or comes from a server.
    """
    if command.kind != "simple" or not command.words:
        return ()
    name = program(command.words)
    if name not in _writers():
        return ()
    words = _words(name, command.words)
    if len(words) * (1 + len(folders)) > MAX_WRITTEN:
        return (Written(ANY, is_free=True),)
    found = chain.from_iterable(_written(word, folders) for word in words)
    return tuple(dict.fromkeys([*found, *_patched(name, command, folders)]))


@cache
def _writers() -> frozenset[str]:
    """The programs with files to write among their arguments, for which a wildcard rule may do."""
    lines = table().items()
    names = {name.partition(" ")[0] for name, line in lines if _writes(line)}
    return frozenset(names - _MAKES_NOTHING)


def _writes(line: Program) -> bool:
    return bool(line.outputs or line.folders or line.operands != "none")


def _words(name: str, words: Sequence[Word]) -> Sequence[Word]:
    line, arguments = line_of(words)
    if line is None or not _writes(line):
        return ()
    texts = [word.text for word in arguments]
    extracts = name in _ARCHIVES and (name == "unzip" or any(map(_EXTRACTS.fullmatch, texts)))
    links = name in ("ln", "link") or (name == "cp" and any(map(_HARD_LINKS.fullmatch, texts)))
    named = (word for word in arguments if word.text[:1] != "-") if extracts or links else ()
    return [word for word in (*written_words(words), *named) if not _is_source(word, arguments)]


def _is_source(word: Word, arguments: Sequence[Word]) -> bool:
    """Says whether a word is files that are there: wildcards that are not the last argument.

    They might also be an option, were there a file with such a name: see `later`.
    """
    return word.repeats and word.known in ("", "-") and word != arguments[-1]


def _patched(name: str, command: ShellCommand, folders: Sequence[str]) -> Iterator[Written]:
    """Yields the files that a patch names which stands in the command itself."""
    applies = name == "git" and any(word.text in ("apply", "am") for word in command.words)
    if name != "patch" and not applies:
        return
    for text in command.input_texts:
        for found in list(_HEADER.finditer(text))[:MAX_HEADERS]:
            for path in found[1].split():
                for one in (path, path.partition("/")[2]):
                    yield from (Written(posixpath.join(folder, one)) for folder in ("", *folders))


def _written(word: Word, folders: Sequence[str]) -> Iterator[Written]:
    is_free = bool(_CHANGED.search(word.raw) or _JOINED.search(word.raw))
    for pattern in _patterns(word):
        yield Written(pattern or ANY, is_free or not pattern)
        if folders and pattern[:1] not in ("/", "~"):
            yield from (Written(posixpath.join(one, pattern), is_free) for one in folders)
            yield Written(posixpath.join(*folders, pattern), is_free)


def _patterns(word: Word) -> Iterator[str]:
    """Yields what the word may become; "" for any text."""
    if word.is_static:
        yield word.text
        return
    yield word.pattern
    home = _HOME.match(word.text)
    if home:
        yield "~" + word.pattern.partition(ANY)[2]
    if "{" in word.text.replace("${", ""):
        try:
            yield from (_EXPANSION.sub(ANY, text) for text in expanded_braces(word.text))
        except TooManyAlternatives:
            yield ""
