"""Names: which program a command starts, whatever path it is called by, in whatever folder.

`//bin/rm`, `../bin/rm`, `/proc/self/root/bin/rm` and, after `cd /bin`, `./rm` are `rm`. What may be
another file than its name says (a link, a folder nobody knows) is a *possible* name: it asks.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agents.domain.shell.git import git_forms
from agents.domain.shell.values import ANY, ShellCommand, ShellScript, Word
from agents.domain.shell.wrappers import SHELLS, program, started_by, starts_others

ELSEWHERE = "\U0010fffe"
"""Stands for a relative program or script after `cd`: only a `*` of a rule covers it."""
UNKNOWN = "\x00"
"""A folder that only bash knows."""
MAX_FOLDERS = 20
MAX_WORDS = 6
"""What is looked at of a command that begins among the arguments."""
_BIN = re.compile(
    r"/(?:usr/(?:local/)?)?s?bin|/usr/(?:local/)?games|/usr/lib(?:exec)?/git-core|/etc/alternatives"
)
_BIN_ARGUMENT = re.compile(r"(?:^|[^A-Za-z0-9_.-])/+(?:usr/+(?:local/+)?)?s?bin/+([^/\s;,:'\"]+)")
"""A program's file among the arguments, of `ln`, `cp` or something that starts it."""
_PROCESS_ROOT = re.compile(r"(?:/proc/(?:self|thread-self|[0-9]+)(?:/task/[0-9]+)?/root)+(?=/)")
_OPEN = re.compile(r"/(?:dev|proc)/")
"""What is open, under a name that says nothing of it: `/dev/stdin`, `/proc/self/fd/3`."""
_VERSION = re.compile(r"[-.][0-9][0-9.]*$|\.(?:basic|tiny|nox|gtk3|distrib|real)$")
_INTERPRETER = re.compile(
    r"(?:python|pypy|lua|perl|ruby|php|node|nodejs|Rscript|tsx|ts-node|bun|deno|java|julia|guile"
    r"|tclsh|wish|expect|pwsh|elixir|escript|groovy)[0-9.]*"
)
_INLINE = re.compile(r"-[A-Za-z0-9]*[eErp]|--(?:eval|print|run)\b.*")
_PYTHON_INLINE = re.compile(r"-[A-Za-z]*[mc]")
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_MAX_DEPTH = 4
_MOVERS = frozenset({"cd", "pushd", "popd", "command", "builtin", "eval"})


@dataclass(slots=True)
class Names:
    """The command in its other spellings, for deny and ask.

    `certain`: the same command. `possible`: what it may be.
    """

    certain: list[list[Word]] = field(default_factory=list)
    possible: list[list[Word]] = field(default_factory=list)


def names_of(words: Sequence[Word], text: str, folders: Sequence[str], root: str) -> Names | None:
    """Returns the other names of a command that runs after `cd` to any of `folders`, if any.

    `text`: the words in one.
    """
    called = words[0].text
    beside = _among_arguments(words) if "bin/" in text else []
    if not beside and called.isalpha() and called != "git":
        return None
    names = Names(possible=beside)
    if "/" in called:
        _add_paths(names, words, folders, root)
    elif _VERSION.search(called):
        names.possible.append(_named(words, _VERSION.sub("", called)))
    if program(words).startswith("git"):
        for form in (list(words), *names.certain):
            names.certain.extend(git_forms(form))
        for form in list(names.possible):
            names.possible.extend(git_forms(form))
    return names


def _among_arguments(words: Sequence[Word]) -> list[list[Word]]:
    """Returns the commands that begin with a program's file among the arguments."""
    found = ((at, _BIN_ARGUMENT.search(word.text)) for at, word in enumerate(words) if at)
    return [_named(words[at : at + MAX_WORDS], one[1]) for at, one in found if one]


def _add_paths(names: Names, words: Sequence[Word], folders: Sequence[str], root: str) -> None:
    called = words[0].text
    is_relative = called[0] not in "/~"
    is_known = ".." not in called.split("/") and not (is_relative and folders)
    for path in dict.fromkeys(_files(called, folders if is_relative else ())):
        folder, name = posixpath.split(path)
        inside = _inside(path, root)
        if _OPEN.match(path):
            names.possible.append(_named(words, ANY))
        if _BIN.fullmatch(folder):
            names.certain.append(_named(words, name))
        elif inside:
            names.certain.append(_named(words, f"./{inside}"))
            if "/" in inside:
                names.certain.append(_named(words, inside))
        else:
            is_known = False
    if not words[0].is_static:
        names.possible.append(_named(words, words[0].pattern.rpartition("/")[2]))
    if is_known:  # a file of the workspace; where a link leads is not looked at
        return
    name = posixpath.basename(called.rstrip("/"))
    names.possible.append(_named(words, name))
    if _VERSION.search(name):
        names.possible.append(_named(words, _VERSION.sub("", name)))


def _files(called: str, folders: Sequence[str]) -> Iterator[str]:
    """Yields the files that `called` may be: absolute, or relative to the workspace."""
    known = [folder for folder in folders if folder != UNKNOWN]
    together = [posixpath.join(*known)] if len(known) > 1 else []
    for folder in ("", *known, *together):
        path = posixpath.normpath(posixpath.join(folder, called)).replace("//", "/")
        if path.startswith("../"):  # as far as it takes: nothing is above /
            path = "/" + re.sub(r"^(?:\.\./)+", "", path)
        yield _PROCESS_ROOT.sub("", path)


def _inside(path: str, root: str) -> str:
    """Returns `path` relative to the workspace, "" where it is not inside."""
    if path.startswith(root + "/"):
        return path[len(root) + 1 :]
    return path if path[:1] not in "/~" else ""


def _named(words: Sequence[Word], name: str) -> list[Word]:
    return [Word(name, name, name, words[0].start), *words[1:]]


def folders_of(script: ShellScript, root: str) -> list[tuple[str, ...]]:
    """Returns for each command the folders that `cd` may have moved to before it runs."""
    moves = [
        (_reach(at, script), folder)
        for at, command in enumerate(script.commands)
        if program(command.words) in _MOVERS
        for folder in _moves(command)
        if not _stays(folder, root)
    ]
    if len(moves) > MAX_FOLDERS:
        moves = [*moves[:MAX_FOLDERS], (range(len(script.commands)), UNKNOWN)]
    if not moves:
        return [()] * len(script.commands)
    return [
        tuple(folder for reach, folder in moves if at in reach)
        for at in range(len(script.commands))
    ]


def _reach(moved: int, script: ShellScript) -> range:
    """Returns the commands that run after a `cd`: to the end of its `( … )`, and its whole loop."""
    around, loops = (
        [span for span in spans if span[0] <= moved < span[1]]
        for spans in (script.subshells, script.loops)
    )
    first = min((span[0] for span in loops), default=moved + 1)
    inside = max((span[0] for span in around), default=0)
    end = min((span[1] for span in around), default=len(script.commands))
    return range(max(first, inside), end)


def _moves(command: ShellCommand) -> Iterator[str]:
    """Yields the folder that a `cd` moves to; UNKNOWN where that is not sure."""
    name = program(command.words)
    if name in ("command", "builtin"):
        if any(re.search(r"\b(?:cd|pushd|popd)\b", word.text) for word in command.words[1:]):
            yield UNKNOWN
    elif name in ("popd", "eval"):
        yield UNKNOWN
    elif name in ("cd", "pushd"):
        words = [word for word in command.words[1:] if not re.match(r"-[LPe@n]+$", word.text)]
        word = next((word for word in words if word.text != "--"), None)
        text = "~" if word is None else word.text
        is_known = word is None or (word.is_static and text[:1] not in ("-", "+", "~"))
        yield text if is_known and text else UNKNOWN


def _stays(folder: str, root: str) -> bool:
    """Says whether the folder is the one where the command began, whatever links there are."""
    return ".." not in folder.split("/") and posixpath.normpath(folder) in (".", root)


def elsewhere(command: ShellCommand, special: str = "") -> str:
    """Returns a command that runs after `cd`, as written, with what is another file now replaced.

    "" where it names no program or script relative to the folder. An argument that may run
    something (`awk -f x`) is one, whatever it looks like.
    """
    if special == "argument" and any(map(_is_relative, command.words[1:])):
        return ELSEWHERE
    if not command.words or not _names_files(command.words[0].text):
        return ""
    moved = {word.start for word in _relative(command.words, 0)}
    if not moved:
        return ""
    words = (ELSEWHERE if word.start in moved else word.raw for word in command.words)
    return " ".join([*(word.raw for word in command.prefixes), *words])


@lru_cache(maxsize=4096)
def _names_files(called: str) -> bool:
    """Says whether a program is called by a path, or may read a script or start what has one."""
    is_reader = called in (".", "source") or starts_others(called)
    return "/" in called or is_reader or _INTERPRETER.fullmatch(called) is not None


def _relative(words: Sequence[Word], depth: int) -> Iterator[Word]:
    """Yields the words that name a program or a script relative to the folder."""
    if not words or depth > _MAX_DEPTH:
        return
    name = program(words)
    if "/" in words[0].text and _is_relative(words[0]):
        yield words[0]
    if name in SHELLS or name in (".", "source"):
        yield from filter(_is_relative, words[1:])
    elif _INTERPRETER.fullmatch(name):
        yield from _script(words)
    inner = started_by(words)
    if inner is None:
        return
    if inner.scripts:
        yield from words[1:]
    for inner_words in inner.commands:
        yield from (word for word in inner_words[:1] if _SUFFIX.search(word.text))
        yield from _relative(inner_words, depth + 1)


def _script(words: Sequence[Word]) -> Iterator[Word]:
    """Yields the script of an interpreter and what else looks like a file beside it."""
    operands = list(filter(_is_relative, words[1:]))
    inline = _PYTHON_INLINE if program(words).startswith(("py", "java")) else _INLINE
    if not any(inline.fullmatch(word.text) for word in words[1:]):
        yield from operands[:1] if program(words) not in ("deno", "bun") else ()
        yield from (word for word in operands if "/" in word.text or _SUFFIX.search(word.text))


def _is_relative(word: Word) -> bool:
    return not word.is_static or word.text[:1] not in ("/", "~", "-", "+", "")
