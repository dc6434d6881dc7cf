"""Echoes: takes the key out of what a model server says, in whatever form it says it."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from agents.engine.ports.model import ProviderError
from maia_web.lib.translated import Translated, translations

HIDDEN = "[redacted]"
SHORTEST = 6  # characters of a key that people use to tell keys apart: fewer may be told
_ENCODED = 8
_ROUNDS = 3
_UNIT = re.compile(
    r"%(?P<percent>[0-9a-f]{2})|\\u(?P<u>[0-9a-f]{4})|\\x(?P<x>[0-9a-f]{2})"
    r"|&#x(?P<hex>[0-9a-f]{1,6});|&#(?P<decimal>[0-9]{1,7});|.",
    re.IGNORECASE | re.DOTALL,
)

Place = tuple[str, int, int]


@contextmanager
def without_key(key: str) -> Iterator[None]:
    """Takes the key out of what a `ProviderError` tells people, on its way."""
    try:
        yield
    except ProviderError as failure:
        failure.details = hide_key(failure.details, key)
        failure.message = hidden(failure.message, key)
        raise


def hidden(sentence: str, key: str) -> str:
    """Returns a sentence without the key, in each language that it knows."""
    every = translations(sentence)
    if every is None:
        return hide_key(sentence, key)
    return Translated(
        hide_key(sentence, key), {language: hide_key(text, key) for language, text in every.items()}
    )


def hide_key(text: str, key: str) -> str:
    """Returns `text` with every part of `key` of 6 letters and digits or more replaced.

    Whatever stands between them and in whatever case; percent-encoded, as escapes of JSON or HTML,
    base64, base32, hexadecimal, backwards or as a common hash.
    """
    wanted = _windows(key)
    if not wanted:
        return text
    places = _letters(text)
    plain = "".join(letter for letter, _start, _end in places)
    hidden = bytearray(len(text))
    for length in {len(one) for one in wanted}:
        for at in range(len(plain) - length + 1):
            if plain[at : at + length] in wanted:
                start, end = places[at][1], places[at + length - 1][2]
                hidden[start:end] = b"\1" * (end - start)
    return _blanked(text, hidden)


def _blanked(text: str, hidden: bytearray) -> str:
    runs = re.finditer(rb"\x00+|\x01+", hidden)
    return "".join(HIDDEN if run[0][0] else text[run.start() : run.end()] for run in runs)


def _windows(key: str) -> frozenset[str]:
    """Returns the pieces of the key, in each of its forms, by which it is known again."""
    plain = "".join(letter for letter, _start, _end in _letters(key))
    if len(plain) < 4:
        return frozenset()
    shortest = min(SHORTEST, len(plain))
    windows = _pieces(plain, shortest) | _pieces(plain[::-1], shortest)
    for form in _forms(key.encode("utf-8", "replace")):
        windows |= _pieces("".join(filter(str.isalnum, form)).lower(), _ENCODED)
    return frozenset(windows)


def _pieces(text: str, length: int) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}


def _forms(raw: bytes) -> Iterator[str]:
    yield raw.hex()
    for before in range(3):  # where the key begins within a group of base64
        encoded = base64.b64encode(b"\0" * before + raw).rstrip(b"=")
        yield encoded[(0, 2, 3)[before] : -1].decode()
    for before in range(5):
        encoded = base64.b32encode(b"\0" * before + raw).rstrip(b"=")
        yield encoded[(0, 2, 4, 5, 7)[before] : -1].decode()
    for hashed in (hashlib.md5, hashlib.sha1, hashlib.sha256):
        yield hashed(raw, usedforsecurity=False).hexdigest()


def _letters(text: str) -> list[Place]:
    """Returns the letters and digits of a text, decoded, and where in the text each stands."""
    places = [(letter, at, at + 1) for at, letter in enumerate(text)]
    for _round in range(_ROUNDS):
        decoded = _decoded(places)
        if len(decoded) == len(places):
            break
        places = decoded
    return [
        (folded, start, end)
        for letter, start, end in places
        for folded in unicodedata.normalize("NFKC", letter).lower()
        if folded.isascii() and folded.isalnum()
    ]


def _decoded(places: list[Place]) -> list[Place]:
    text = "".join(letter for letter, _start, _end in places)
    return [
        (_letter(match), places[match.start()][1], places[match.end() - 1][2])
        for match in _UNIT.finditer(text)
    ]


def _letter(match: re.Match[str]) -> str:
    name = match.lastgroup
    if name is None:
        return match.group()
    number = int(match.group(name), 10 if name == "decimal" else 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"
