"""Arguments as the program will read them: options, their values, operands, and what is unsure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.domain.shell.patterns import Wildcard
from agents.domain.shell.programs import Program
from agents.domain.shell.values import ANY, Word

UNSURE = "?"
"""The name of an argument that may be any option."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. `name`: "-o", "--output", "" for an operand, or `UNSURE`.

    `value`: what belongs to it, the operand itself; None where there is none. `partly`: the word
    of which only bash knows the rest.
    """

    name: str
    value: Word | None = None
    partly: Word | None = None

    @property
    def shape(self) -> Wildcard:
        """The whole argument, `name=value` where it has both, as wildcards are compared with it."""
        if self.partly is not None:
            return Wildcard.of(self.partly.pattern, ANY)
        value = "" if self.value is None else self.value.pattern
        return Wildcard.of(
            f"{self.name}={value}" if self.name and value else self.name + value, ANY
        )


@dataclass(slots=True)
class _Reader:
    """Walks over `words`. `open`: the word before may be an option that takes the next one."""

    words: Sequence[Word]
    line: Program
    at: int = 0
    has_ended: bool = False
    is_open: bool = False

    def read(self) -> Iterator[Argument]:
        if self.line.style == "bundled" and self.words:
            yield from self._bundle()
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if self.has_ended or not _may_be_option(word):
                yield from self._operand(word)
            elif word.is_static and word.text == "--":
                self.has_ended = self.line.ends and not self.is_open
                self.is_open = False
            elif self.line.style == "words" or self._is_long_word(word):
                yield from self._word(word)
            elif not word.known.startswith("-") or word.known == "-" or word.splits:
                yield Argument(UNSURE, word)
            elif word.known.startswith("--"):
                yield self._long(word)
            else:
                yield from self._cluster(word)

    def _operand(self, word: Word) -> Iterator[Argument]:
        self.is_open = False
        yield Argument("", word)
        if word.splits and not self.has_ended:
            yield Argument(UNSURE, word)
        self.has_ended = self.has_ended or (self.line.posix and not word.splits)

    def _is_long_word(self, word: Word) -> bool:
        """`-lf` of zip, `-ex` of gdb: programs with letters may have words with one `-` too."""
        name = word.text.partition("=")[0]
        known = self.line.asks | self.line.valued
        return word.is_static and len(name) > 2 and name[1] != "-" and name in known

    def _word(self, word: Word) -> Iterator[Argument]:
        """`-option`, `--option`, `-option=value`; the next word where it takes one."""
        if not word.is_static:
            yield self._partly_known(word)
            return
        name, equals, _ = word.text.partition("=")
        is_valued = name in self.line.valued and not equals
        value = word.after(len(name) + 1) if equals else self._next() if is_valued else None
        self.is_open = not (equals or is_valued or name in self.line.flags)
        yield Argument(name, value)

    def _partly_known(self, word: Word) -> Argument:
        """Unsure if it may become an option that writes or runs; the wildcards see the rest."""
        shape = Wildcard.of(word.pattern, ANY)
        may_ask = word.splits or any(
            shape.matches(name) or word.known.startswith(name + "=") for name in self.line.asks
        )
        if may_ask or word.known not in ("", "-"):
            return Argument(UNSURE if may_ask else word.known, partly=word)
        return Argument("", word)

    def _long(self, word: Word) -> Argument:
        name, equals, _ = word.known.partition("=")
        self.is_open = False
        if not equals and not word.is_static:  # `--out$x`
            may_ask = word.repeats or any(option.startswith(name) for option in self.line.asks)
            return Argument(UNSURE if may_ask else name, partly=word)
        name = self._full_name(name)
        if equals:
            return Argument(UNSURE if word.repeats else name, word.after(word.known.find("=") + 1))
        if name in self.line.valued:
            return Argument(name, self._next())
        self.is_open = name not in self.line.flags
        return Argument(name)

    def _full_name(self, name: str) -> str:
        """Returns the option that `name` is, or shortens: the most dangerous one, if several."""
        line = self.line
        if name in line.flags or name in line.valued or name in line.asks or name in line.plain:
            return name
        return min((option for option in line.asks if option.startswith(name)), default=name)

    def _cluster(self, word: Word) -> Iterator[Argument]:
        """`-abc`, `-ovalue`; what follows a letter that takes a value is that value."""
        line, known = self.line, word.known
        self.is_open = False
        for end, letter in enumerate(known[1:], start=2):
            name, has_more = "-" + letter, end < len(word.pattern)
            if name in line.valued and name not in line.changes:
                if word.repeats and has_more:
                    yield Argument(UNSURE, word)
                yield Argument(name, word.after(end) if has_more else self._next())
                return
            if name in line.joined:
                yield Argument(name, word.after(end) if has_more else None)
                return
            yield Argument(name)
            self.is_open = name not in line.flags and not letter.isdigit()
        if len(known) < len(word.pattern) and any(len(name) == 2 for name in line.asks):
            yield Argument(UNSURE, word)

    def _bundle(self) -> Iterator[Argument]:
        """tar's first word holds letters without `-`; their values follow in order."""
        first = self.words[0]
        if first.known.startswith("-"):
            return
        self.at = 1
        if not first.is_static:
            yield Argument(UNSURE, first)
        for letter in first.known:
            name = "-" + letter
            yield Argument(name, self._next() if name in self.line.valued else None)

    def _next(self) -> Word | None:
        """Takes the next word as a value; one that splits is left where it is."""
        if self.at >= len(self.words) or self.words[self.at].splits:
            return None
        if self.words[self.at].repeats:
            return None
        self.at += 1
        return self.words[self.at - 1]


def read_arguments(words: Sequence[Word], line: Program) -> Iterator[Argument]:
    """Yields what the program of `line` makes of `words`, the arguments after its name.

    What only bash knows is an option that may do anything (`UNSURE`), unless it stands behind
    `--`, is the value of an option, or begins with what no option begins with.
    """
    return _Reader(words, line).read()


def _may_be_option(word: Word) -> bool:
    known = word.known
    if word.is_static:
        return known.startswith("-") and len(known) > 1
    return not known or known.startswith("-")
