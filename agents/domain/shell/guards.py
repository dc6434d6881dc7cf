"""Arguments that make a harmless-looking program run another one or write a file.

A general allow (`Bash(find *)`) does not cover them; a rule that names exactly the text does. What
is known of each program stands in the table (`agents.domain.shell.programs`); only programs whose
arguments are a language of their own have a reader here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from agents.domain.shell.arguments import UNSURE, Argument, read_arguments
from agents.domain.shell.editors import trips_awk, trips_sed
from agents.domain.shell.git import git_verb
from agents.domain.shell.patterns import Wildcard
from agents.domain.shell.programs import Program, known, table, with_verbs
from agents.domain.shell.values import ANY, ShellCommand, Word
from agents.domain.shell.wrappers import SHELLS, inner_of, program

STATE = frozenset(
    {
        ".", "source", "exec", "eval", "trap", "alias", "unalias", "enable", "hash", "set",
        "shopt", "export", "declare", "typeset", "local", "readonly", "unset", "read", "mapfile",
        "readarray", "getopts", "let", "bind", "complete", "compgen", "compopt", "fc", "history",
        "builtin", "command", "jobs",
    }
)  # fmt: skip
"""Builtins that change how later commands run, or run what they read."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MANY = 1_000
_NOWHERE = "/dev/null"


def special_of(command: ShellCommand) -> str:
    """Returns the code of what only an exact rule may allow about `command`, or ""."""
    if command.kind != "simple":
        return "arithmetic" if command.kind == "arithmetic" else ""
    if command.prefixes:
        return "assignment"
    return _special_program(command.words) if command.words else ""


def _special_program(words: Sequence[Word]) -> str:
    name = program(words)
    if name in SHELLS:
        return _shell(words)
    if name in STATE:
        return "state"
    if inner_of(words) is not None:
        return "wrapper"
    return "argument" if _trips(words) else ""


def _trips(words: Sequence[Word]) -> bool:
    line, arguments = line_of(words)
    if line is None or not line.is_guarded:
        return False
    if line.verbs and not arguments:
        return git_verb(words) is None
    reader = _READERS.get(line.reader, _asks)
    return reader(arguments, line)


def line_of(words: Sequence[Word]) -> tuple[Program | None, Sequence[Word]]:
    """Returns what the table knows of the command `words`, and the arguments it is about."""
    name = program(words)
    base = table().get(name)
    if name not in with_verbs():
        return base, words[1:]
    verb = git_verb(words) if base is not None and base.verbs else 1
    if verb is None or verb >= len(words):
        return base, ()
    names = [word.text if word.is_static else ANY for word in words[verb : verb + 2]]
    at = 1 if base is None or not base.verbs else verb + 1
    return known([name, *names]), words[at:]


def _asks(words: Sequence[Word], line: Program) -> bool:
    """Says whether an argument writes or runs, or may do so for all one knows."""
    if line.needs_option and all(map(_is_plain, words)):
        return False
    operands = 0
    for argument in read_arguments(words, line):
        if _is_danger(argument, line):
            return True
        if line.wildcards and any(map(argument.shape.may_meet, line.wildcards)):
            return True
        operand = None if argument.name else argument.value or argument.partly
        if operand is not None:
            operands += _MANY if operand.splits or operand.repeats else 1
    return 0 < line.asks_from <= operands


def _is_plain(word: Word) -> bool:
    return word.is_static and word.text[:1] != "-"


def _is_danger(argument: Argument, line: Program) -> bool:
    name, value = argument.name, argument.value
    if not name:
        return value is not None and value.text in line.asks and value.is_static
    if name == UNSURE:
        return True
    if name in line.writes and value is not None and value.is_static:
        return not (value.text == _NOWHERE or (line.stdout and value.text == "-"))
    return name in line.asks


def _printf(words: Sequence[Word], _line: Program) -> bool:
    """What follows the format is text; an option `-v` may stand before it."""
    if words and not words[0].is_static and (not words[0].known or words[0].known[0] == "-"):
        return True
    first = words[0].text if words else ""
    if first.startswith("-") and first != "--":
        return first.startswith("-v") or not all(word.is_static for word in words)
    return any("[" in word.text and _runs(word) for word in words if not word.expands)


def _runs(word: Word) -> bool:
    return "$(" in word.text or "`" in word.text


def _test(words: Sequence[Word], _line: Program) -> bool:
    """`-v name[subscript]` runs a substitution in the subscript, quoted or not."""
    if any(word.splits or ("[" in word.text and _runs(word)) for word in words):
        return True
    return any(
        _may_be_v(word) and (word.repeats or (after is not None and not _is_name(after)))
        for word, after in zip_longest(words, words[1:])
    )


def _may_be_v(word: Word) -> bool:
    pattern = Wildcard.of(word.pattern, ANY)
    return pattern.matches("-v") or pattern.matches("-R")


def _is_name(word: Word) -> bool:
    return word.is_static and "[" not in word.text


def _tmux(words: Sequence[Word], _line: Program) -> bool:
    """tmux and screen start programs, unless they only show what there is."""
    harmless = ("ls", "list-", "has", "-V", "-ls", "-list", "info", "kill-", "attach", "-v")
    is_one = not any(word.text.endswith(";") or not word.is_static for word in words)
    return not (words and is_one and words[0].text.startswith(harmless))


def _always(_words: Sequence[Word], _line: Program) -> bool:
    return True


_READERS: dict[str, Callable[[Sequence[Word], Program], bool]] = {
    "always": _always,
    "awk": trips_awk,
    "printf": _printf,
    "sed": trips_sed,
    "test": _test,
    "tmux": _tmux,
}


def _shell(words: Sequence[Word]) -> str:
    """A shell is harmless only with a script file as its first operand."""
    for word in words[1:]:
        if not word.is_static:
            return "shell-input"
        if word.text[:1] not in ("-", "+"):
            return "shell-input" if word.text.startswith(("/dev", "/proc")) else ""
        if not re.fullmatch(r"-[euxvn]+", word.text):
            return "wrapper" if "c" in word.text else "shell-input"
    return "shell-input"
