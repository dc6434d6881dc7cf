"""The table of programs: what is known of each, with its source (data in the `.toml` files).

A line's `kind` is one of three: `reads` (it writes nothing and runs nothing), `options` (these
options and operands write or run, the others do not), `anything` (it can run other programs). A
program without a line is as one that can do anything. Options are named as they are written:

- `runs`, `writes`, `changes`: only a rule that names the command exactly covers them. What `writes`
  names is a file, `changes` has no value. `-a*b` is a wildcard for a word, `-w=*` for a value.
- `outputs`, `folders`: they name a file, a folder, that is written, as the program is meant to do.
- `takes`: other options whose value is the next word; `flags`: options without a value; `joined`:
  the rest of the word is their value, if there is any. What stands in none of them may or may not
  take the next word. `plain`: harmless here, whatever `git` says of it.
- `operands`: which operands are changed (`first`, `last`, `rest`: all but the first, `all`).
- `asks_from`: the number of the first operand that is written although nobody expects it.
- `style`: `getopt` (`-abc`, `--long`, shortened `--lo`), `words` (`-option`), `bundled` (tar's);
  `ends`: whether `--` ends the options; `posix`: whether the first operand does. `stdout`: the
  value `-` is the output.
- `reader`: the function of `shell_guards` that knows the rest (scripts); `verbs`: see `git.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from agents.domain.shell.patterns import Wildcard

Kind = Literal["reads", "options", "anything"]
Style = Literal["getopt", "words", "bundled"]
Operands = Literal["none", "first", "last", "rest", "all"]
_NO_NAMES: frozenset[str] = frozenset()
MAX_WORDS = 3


@dataclass(frozen=True, slots=True)
class Program:
    """One line of the table."""

    kind: Kind
    source: str
    runs: frozenset[str] = _NO_NAMES
    writes: frozenset[str] = _NO_NAMES
    changes: frozenset[str] = _NO_NAMES
    outputs: frozenset[str] = _NO_NAMES
    folders: frozenset[str] = _NO_NAMES
    takes: frozenset[str] = _NO_NAMES
    flags: frozenset[str] = _NO_NAMES
    joined: frozenset[str] = _NO_NAMES
    plain: frozenset[str] = _NO_NAMES
    operands: Operands = "none"
    asks_from: int = 0
    style: Style = "getopt"
    ends: bool = True
    posix: bool = False
    stdout: bool = False
    reader: str = ""
    verbs: bool = False
    asks: frozenset[str] = field(init=False, default=_NO_NAMES)
    valued: frozenset[str] = field(init=False, default=_NO_NAMES)
    wildcards: tuple[Wildcard, ...] = field(init=False, default=())
    needs_option: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Derives what is looked at for each command.

        `asks`: what no wildcard rule covers, and those of it that are `wildcards`. `valued`: what
        takes a word. `needs_option`: words without `-` are harmless.
        """
        object.__setattr__(self, "asks", (self.runs | self.writes | self.changes) - self.plain)
        valued = self.writes | self.outputs | self.folders | self.takes
        object.__setattr__(self, "valued", valued - self.flags)
        wildcards = tuple(Wildcard.of(name) for name in sorted(self.asks) if "*" in name)
        object.__setattr__(self, "wildcards", wildcards)
        has_others = self.asks_from or self.style == "bundled" or wildcards
        is_dashed = all(name.startswith("-") for name in self.asks)
        object.__setattr__(self, "needs_option", is_dashed and not has_others)

    @property
    def is_guarded(self) -> bool:
        """Says whether some arguments are covered by an exact rule only."""
        return bool(self.asks or self.asks_from or self.reader)


_NAMES = frozenset(
    field.name for field in fields(Program) if field.type == "frozenset[str]" and field.init
)


@cache
def table() -> Mapping[str, Program]:
    """Returns the lines by the program's name, or its name and verb."""
    lines: dict[str, Program] = {}
    for name, line in _lines():
        base = lines.get(name.partition(" ")[0]) if " " in name else None
        if base is not None and base.verbs:
            line = _with_base(base, line)
        lines[name] = line
    return lines


@cache
def with_verbs() -> frozenset[str]:
    """Returns the programs of which single verbs have lines."""
    return frozenset(name.partition(" ")[0] for name in table() if " " in name)


def known(words: Sequence[str]) -> Program | None:
    """Returns the line of the command that begins with `words`, the longest that fits; or None.

    `words[0]` is the program's bare name; None: the program, or its verb, is not in the table.
    """
    lines = table()
    for length in range(min(MAX_WORDS, len(words)), 1, -1):
        found = lines.get(" ".join(words[:length]))
        if found is not None:
            return found
    return lines.get(words[0]) if words else None


def _lines() -> Iterator[tuple[str, Program]]:
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            for names, line in tomllib.loads(file.read_text(encoding="utf-8")).items():
                program = _program(line)
                yield from ((name, program) for name in names.split(", "))


def _program(line: Mapping[str, Any]) -> Program:
    values: dict[str, Any] = {
        key: frozenset(value.split()) if key in _NAMES else value for key, value in line.items()
    }
    return Program(**values)


def _with_base(base: Program, verb: Program) -> Program:
    return replace(verb, runs=verb.runs | base.runs, writes=verb.writes | base.writes)
