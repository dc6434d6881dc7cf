"""Encodings: what the bytes of a text file say they are, so that it is written back the same."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from workspaces.domain.entries import FileError

_CONTROLS = frozenset(range(0x20)) - frozenset(b"\b\t\n\v\f\r\x1b") | {0x7F}


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec and the byte-order mark before the text; `name` is what people call it."""

    codec: str
    name: str
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """Returns the bytes of a text; raises FileError ("encoding") that names what it lacks."""
        try:
            return self.mark + text.encode(self.codec)
        except UnicodeEncodeError as error:
            lacking = ascii(text[error.start : error.start + 1]).strip("'")
            shown = text[error.start] if text[error.start].isprintable() else lacking
            raise FileError("encoding", f"{self.name} has no “{shown}”.") from error


UTF_8 = Encoding("utf-8", "UTF-8")
_MARKED = (
    Encoding("utf-8", "UTF-8 with a byte-order mark", codecs.BOM_UTF8),
    Encoding("utf-32-le", "UTF-32 LE", codecs.BOM_UTF32_LE),  # its mark begins with UTF-16's
    Encoding("utf-32-be", "UTF-32 BE", codecs.BOM_UTF32_BE),
    Encoding("utf-16-le", "UTF-16 LE", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", "UTF-16 BE", codecs.BOM_UTF16_BE),
)
_UTF_16_LE = Encoding("utf-16-le", "UTF-16 LE without a byte-order mark")
_UTF_16_BE = Encoding("utf-16-be", "UTF-16 BE without a byte-order mark")
# What Latin-1 is called on the web: the same, but for 27 characters in place of control codes.
_WESTERN = Encoding("windows-1252", "windows-1252 (Latin-1)")


def decode(content: bytes) -> tuple[str, Encoding]:
    """Returns a text and how its bytes are made from it again.

    Told by a byte-order mark, else UTF-8; else UTF-16 by its zeros, or Latin-1. Raises FileError
    ("binary") for what holds NUL or control characters, bytes of no such encoding, or two bytes
    alone that may be the mark of UTF-16.
    """
    encoding = _encoding_of(content)
    try:
        text = content[len(encoding.mark) :].decode(encoding.codec)
    except UnicodeDecodeError as error:
        raise FileError("binary", f"This is not {encoding.name} text.") from error
    if "\0" in text or (encoding.mark and not text and encoding.codec != UTF_8.codec):
        raise FileError("binary", "This is not text.")
    return text, encoding


def _encoding_of(content: bytes) -> Encoding:
    for marked in _MARKED:
        if content.startswith(marked.mark):
            return marked
    if b"\0" in content:
        return _by_zeros(content)
    try:
        content.decode()
    except UnicodeDecodeError:
        return UTF_8 if _CONTROLS.intersection(content) else _WESTERN
    return UTF_8


def _by_zeros(content: bytes) -> Encoding:
    """Of a Western text in UTF-16 nearly every second byte is 0, and none of the others."""
    even, odd = content[::2].count(0), content[1::2].count(0)
    if len(content) % 2 == 0 and not even and odd * 2 > len(content) // 2:
        return _UTF_16_LE
    if len(content) % 2 == 0 and not odd and even * 2 > len(content) // 2:
        return _UTF_16_BE
    return UTF_8
