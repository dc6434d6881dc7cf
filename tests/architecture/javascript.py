"""Reads the strings of a JavaScript module, as far as our own modules go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<regex>(?<=[(,=:\[!&|?{};+])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/)"
    r"|(?P<sign>[`{}])",
    re.DOTALL,
)
TEXT = re.compile(r"(?:\\.|(?!\$\{)[^`\\])*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A string, or what stands in a template before, between or after its expressions."""

    text: str
    template: int | None = None
    """Where the template begins; None for a plain string."""
    goes_on: bool = False
    """Whether an expression follows at once."""


def pieces(source: str) -> Iterator[Piece]:
    """Yields the strings and the pieces of templates of a module, in their order."""
    at = 0
    around: list[int | None] = []  # the template each open brace is an expression of
    while found := TOKEN.search(source, at):
        at = found.end()
        if found["string"]:
            yield Piece(found["string"][1:-1])
        sign = found["sign"]
        if sign == "{":
            around.append(None)
        template = found.start() if sign == "`" else None
        if sign == "}" and around:
            template = around.pop()
        if template is None:
            continue
        text = TEXT.match(source, at)
        assert text is not None
        at = text.end()
        goes_on = source.startswith("${", at)
        yield Piece(text[0], template, goes_on)
        if goes_on:
            around.append(template)
        at += 2 if goes_on else 1
