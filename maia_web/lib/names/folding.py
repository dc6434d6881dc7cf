"""Folding: names that differ only in case, or in how their letters are composed, are one name."""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
"""Zero-width signs without which Persian, or a family of emoji, is not written as it should be."""
GROWTH = 3
"""Folded, a letter is three at most."""
_NEW_EMOJI = range(0x1F000, 0x1FC00)
"""Where Unicode adds pictures each year, before Python knows of them."""
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
"""The flag of a part of a country (Unicode, UTS 51): letters that show nowhere else."""
_APART = {ord(sign): None for sign in JOINERS}


def fold(text: str) -> str:
    """Returns what all spellings of a name have in common, whatever database keeps it.

    `Équipe`, `équipe` and their decomposed forms are one, `STRASSE` and `straße` too; joiners do
    not count, and all blanks are one. `İ` is no `i`, and `ı` neither: other letters in Turkish.
    Canonical caseless matching of the Unicode standard (D145).
    """
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFD", text.translate(_APART)).casefold()
    folded = unicodedata.normalize("NFC", letters)
    return "".join(" " if unicodedata.category(sign) == "Zs" else sign for sign in folded)


def is_printable(text: str) -> bool:
    """Tells whether people can read a name: no control character, none that turns its direction.

    Joiners and blanks of every script may stand in it.
    """
    return all(map(is_printable_sign, text if text.isascii() else _FLAG.sub("", text)))


def is_printable_sign(sign: str) -> bool:
    """Tells whether one sign may stand in a name: see `is_printable`."""
    if sign.isprintable() or sign in JOINERS or unicodedata.category(sign) == "Zs":
        return True
    return ord(sign) in _NEW_EMOJI and unicodedata.category(sign) == "Cn"
