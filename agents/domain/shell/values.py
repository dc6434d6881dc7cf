"""Word, Redirect, ShellCommand, ShellScript: what a line of bash is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ANY = "\x00"
"""Stands in `Word.pattern` for text that only bash knows (bash itself refuses NUL)."""

MAX_EFFORT = 3_000
"""Words, quotes, expansions and commands examined in full; what takes more asks (50 ms at most)."""
COMMAND_EFFORT = 4

CommandKind = Literal["simple", "test", "arithmetic", "time"]


class Unreadable(Exception):
    """The line cannot be read with certainty; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `raw` as written, `text` without quotes, `pattern` with ANY where bash decides.

    `expands`: holds a `$`, a backtick or a brace expansion. It may become any words (`splits`:
    `$x`, `"$@"`), or several that all begin with `known` (`repeats`: wildcards, braces).
    """

    raw: str
    text: str
    pattern: str
    start: int
    quoted: bool = False
    expands: bool = False
    splits: bool = False
    repeats: bool = False

    @property
    def known(self) -> str:
        """What the word certainly begins with: all of it where it is static."""
        return self.pattern.partition(ANY)[0]

    def after(self, length: int) -> Word:
        """Returns the word without its first `length` characters, which must be `known`."""
        return Word(
            self.raw, self.text[length:], self.pattern[length:], self.start,
            self.quoted, self.expands, self.splits, self.repeats,
        )  # fmt: skip

    @property
    def is_static(self) -> bool:
        """Says whether bash will see exactly `text`."""
        return ANY not in self.pattern


@dataclass(frozen=True, slots=True)
class Redirect:
    """One redirection. `writes`: it may create or change the file `target` names."""

    raw: str
    target: Word
    writes: bool


@dataclass(slots=True)
class ShellCommand:
    """One program bash would start (or a `[[ … ]]`, `(( … ))`), with what belongs to it.

    The keyword `time` is one of its own kind. `timed`: it and the command right behind it, of both.
    """

    start: int
    kind: CommandKind = "simple"
    prefixes: list[Word] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    input_texts: list[str] = field(default_factory=list)
    source: str = ""
    timed: str = ""

    @property
    def written(self) -> str:
        """The command as written, redirections and line continuations removed."""
        if self.kind == "time":
            return " ".join(self.source.replace("\\\n", "").split())
        if self.kind != "simple":
            return self.source
        return " ".join([word.raw for word in self.prefixes + self.words])


@dataclass(frozen=True, slots=True)
class Finding:
    """Why no general allow covers the call: a stable `code` and the part it stands in."""

    code: str
    part: str


@dataclass(slots=True)
class ShellScript:
    """All commands of a line, nested ones too.

    `doubts` can never be allowed; `specials` only by a rule that names exactly the text.
    `is_complete`: the reader came to the end of the line. `effort`: what it took so far.
    `subshells`, `loops`: which commands stand in `( … )` and in loops, from and to.
    """

    commands: list[ShellCommand] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    doubts: list[Finding] = field(default_factory=list)
    specials: list[Finding] = field(default_factory=list)
    is_complete: bool = True
    effort: int = 0
    subshells: list[tuple[int, int]] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def add(self, command: ShellCommand) -> None:
        """Adds a command; raises `Unreadable` where there are too many to examine in time."""
        self.spend(COMMAND_EFFORT)
        self.commands.append(command)

    def spend(self, effort: int = 1) -> None:
        """Counts work; raises `Unreadable` where the line takes too long to examine."""
        self.effort += effort
        if self.effort > MAX_EFFORT:
            raise Unreadable("too-long")

    def doubt(self, code: str, part: str = "") -> None:
        """Records what can never be allowed without asking."""
        self.doubts.append(Finding(code, part))

    def special(self, code: str, part: str = "") -> None:
        """Records what only an exact rule may allow."""
        self.specials.append(Finding(code, part))
