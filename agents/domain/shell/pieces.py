"""Piece: a run of one word under one kind of quoting, and the word built of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.domain.shell.values import ANY, Word

_EXPANDING = re.compile(r"[*?\[{]")
_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})"
    r"|U([0-9a-fA-F]{1,8})|(c.)|(.))",
    re.DOTALL,
)
_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """`raw` as written, `text` without quotes; `dynamic`: only bash knows the text.

    `is_one`: in double quotes and without `$@`, so it stays inside one word.
    """

    raw: str
    text: str
    kind: Literal["plain", "quoted", "dynamic"]
    pattern: str | None = None
    is_one: bool = False

    @classmethod
    def joined(cls, raw: str, inner: Sequence[Piece]) -> Piece:
        """Makes one piece of a double-quoted string's pieces."""
        text = "".join(piece.text for piece in inner)
        if not any(piece.kind == "dynamic" for piece in inner):
            return cls(raw, text, "quoted")
        pattern = "".join(ANY if piece.kind == "dynamic" else piece.text for piece in inner)
        is_one = not any(piece.kind == "dynamic" and "@" in piece.raw for piece in inner)
        return cls(raw, text, "dynamic", pattern, is_one)


def build_word(pieces: Sequence[Piece], start: int) -> Word:
    """Joins `pieces`; wildcards and braces outside quotes make the pattern uncertain."""
    if len(pieces) == 1 and pieces[0].kind == "plain":
        text = pieces[0].text
        if not _may_expand(text):
            return Word(text, text, text, start)
    raw = "".join(piece.raw for piece in pieces)
    text = "".join(piece.text for piece in pieces)
    expands = any(piece.kind == "dynamic" for piece in pieces)
    pattern, has_braces = _pattern(pieces, expands=expands)
    splits = any(piece.kind == "dynamic" and not piece.is_one for piece in pieces)
    return Word(
        raw,
        text,
        pattern,
        start,
        quoted=any(piece.kind != "plain" for piece in pieces),
        expands=expands or has_braces,
        splits=splits,
        repeats=not splits and ANY in pattern and _has_wildcards(pieces),
    )


def _has_wildcards(pieces: Sequence[Piece]) -> bool:
    return any(piece.kind == "plain" and _may_expand(piece.text) for piece in pieces)


def _may_expand(text: str) -> bool:
    return _EXPANDING.search(text) is not None


def _pattern(pieces: Sequence[Piece], *, expands: bool) -> tuple[str, bool]:
    shown = "".join(_shown(piece) for piece in pieces)
    bare = "".join(piece.text if piece.kind == "plain" else _blank(piece) for piece in pieces)
    if not _may_expand(bare):
        return shown, False
    if len(bare) != len(shown):
        return ANY, True
    return _globbed(shown, bare)


def _shown(piece: Piece) -> str:
    if piece.kind != "dynamic":
        return piece.text
    return ANY if piece.pattern is None else piece.pattern


def _blank(piece: Piece) -> str:
    """As long as what is shown of `piece`, but without a character that means something."""
    return "x" * len(_shown(piece))


def _globbed(shown: str, bare: str) -> tuple[str, bool]:
    has_braces = "{" in bare and "}" in bare[bare.index("{") :] and _is_list(bare)
    spans = [(bare.find("["), bare.rfind("]"))]
    if has_braces:
        spans.append((bare.find("{"), bare.rfind("}")))
    chars = [ANY if char in "*?" else show for char, show in zip(bare, shown, strict=True)]
    for first, last in spans:
        if 0 <= first < last:
            chars[first : last + 1] = [ANY] * (last + 1 - first)
    return "".join(chars), has_braces


def _is_list(bare: str) -> bool:
    return "," in bare or ".." in bare


def decode_ansi(inner: str) -> tuple[str, bool]:
    """Decodes the inside of `$'…'` (bash manual, "ANSI-C Quoting").

    False: control characters, raw bytes or something unknown.
    """
    is_certain = True

    def decoded(match: re.Match[str]) -> str:
        nonlocal is_certain
        letter, octal, byte, short, long, control, other = match.groups()
        if letter:
            return _LETTERS[letter]
        if control or other:
            is_certain = False
            return match[0]
        digits = octal or byte or short or long
        code = int(digits, 8 if octal else 16)
        if not 0 < code < (128 if octal or byte else 0x110000) or 0xD800 <= code < 0xE000:
            is_certain = False
            return ""
        return chr(code)

    return _ESCAPE.sub(decoded, inner), is_certain
