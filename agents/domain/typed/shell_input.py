"""ShellInput: reads what a person typed after `!` (seed M §11.2)."""

from __future__ import annotations

from dataclasses import dataclass

SIGN = "!"


class UnclosedQuote(ValueError):
    """The single quote after `!` never closes: nothing may run."""


@dataclass(frozen=True, slots=True)
class ShellInput:
    """The command to run; "" asks for help."""

    command: str


def parse_shell(text: str) -> ShellInput | None:
    """Reads a line as a command of the person; None if it is something else.

    `!'…' rest` is the quoted text followed by the rest, `\\'` a literal quote; else everything
    after `!` counts. Raises `UnclosedQuote`.
    """
    text = text.strip()
    if not text.startswith(SIGN):
        return None
    rest = text[len(SIGN) :].strip()
    if rest.startswith("'"):
        quoted, end = read_quoted(rest, 0)
        rest = quoted + rest[end:]
    return ShellInput(rest.strip())


def quote_shell(command: str) -> str:
    """Returns a line that `parse_shell` reads as `command`; for commands that begin with `'`."""
    return SIGN + print_quoted(command) if command.startswith("'") else SIGN + command


def read_quoted(text: str, start: int) -> tuple[str, int]:
    """Returns the text in the single quotes that open at `start`, and where they end.

    Raises `UnclosedQuote`.
    """
    found: list[str] = []
    at = start + 1
    while at < len(text):
        if text.startswith("\\'", at):
            found.append("'")
            at += 2
        elif text[at] == "'":
            return "".join(found), at + 1
        else:
            found.append(text[at])
            at += 1
    raise UnclosedQuote(text)


def print_quoted(text: str) -> str:
    """Returns `text` in single quotes, as `read_quoted` reads it."""
    return "'" + text.replace("'", "\\'") + "'"


def parse_quoted_start(text: str) -> str:
    """Returns what a word means whose quote may not be closed yet: `'a b` and `a` are paths."""
    if not text.startswith("'"):
        return text
    try:
        return read_quoted(text, 0)[0]
    except UnclosedQuote:
        return text[1:].replace("\\'", "'")
