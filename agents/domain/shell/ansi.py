"""What `$'…'` means (bash manual, "ANSI-C Quoting")."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})"
    r"|U([0-9a-fA-F]{1,8})|(c.)|(.))",
    re.DOTALL,
)
_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def decode_ansi(inner: str) -> tuple[str, bool]:
    """Decodes the inside of `$'…'`; False: control characters, raw bytes or something unknown."""
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
