"""Spelling: how the name of a file is text, also one whose bytes are no UTF-8.

A byte that is no UTF-8 is written `\\xe9`, as in Python and in `$'…'` of bash. A backslash that
would be read as the beginning of such a sign is one itself: `\\x5c`. Every name has one spelling
that gives it back, no two names have the same, and most are spelled as they are. What leaves the
files is spelled: lists, tools, rules, requests; what the kernel is told is raw (PEP 383).
"""

from __future__ import annotations

import re

_TO_SPELL = re.compile(r"[\udc80-\udcff]|\\(?=x(?:5[Cc]|[89A-Fa-f][0-9A-Fa-f]))")
SPELLED_BYTE = re.compile(r"\\x(5[Cc]|[89A-Fa-f][0-9A-Fa-f])")
"""One sign of a spelling; the same in patterns."""
_BYTES = re.compile(r"(?:\\x[89A-Fa-f][0-9A-Fa-f])+|\\.", re.DOTALL)
_BACKSLASH = "\\"


def spelled(raw: str) -> str:
    """Returns the spelling of a name or path, as `os.fsdecode` gives it."""
    return raw if raw.isascii() and _BACKSLASH not in raw else _TO_SPELL.sub(_sign, raw)


def raw(spelling: str) -> str:
    """Returns the name or path that is meant, as `os.fsencode` takes it.

    Bytes that are UTF-8 together are the letter that they make.
    """
    if _BACKSLASH not in spelling:
        return spelling
    text = SPELLED_BYTE.sub(lambda found: raw_sign(found[1]), spelling)
    try:
        return text.encode(errors="surrogateescape").decode(errors="surrogateescape")
    except UnicodeEncodeError:  # no text at all: nobody opens it
        return spelling


def raw_sign(digits: str) -> str:
    """Returns what two digits of a spelling stand for."""
    byte = int(digits, 16)
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def spelled_pattern(pattern: str) -> str:
    """Returns a pattern of files with the letters that bytes in it make together.

    A backslash before another one takes its meaning away, as it does in patterns.
    """
    if _BACKSLASH not in pattern:
        return pattern
    return _BYTES.sub(lambda found: _letters(found[0]), pattern)


def _letters(sign: str) -> str:
    return spelled(raw(sign)) if len(sign) > 2 else sign


def in_words(text: str) -> str:
    """Returns a text that may hold raw names as one that can be written and sent."""
    if text.isascii():
        return text
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _sign(found: re.Match[str]) -> str:
    return r"\x5c" if found[0] == _BACKSLASH else f"\\x{ord(found[0]) - 0xDC00:02x}"
