"""Names that look alike: the one somebody meant who named a file that is not there."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from workspaces.domain.spelling import SPELLED_BYTE

_LIKENESS = 0.8
# What Unicode calls Default_Ignorable_Code_Point, besides the category Cf: fillers, selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
MOST_NAMES = 10_000


def one_form(text: str) -> str:
    """Returns what texts have in common that differ in normal form and kind of blank alone."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    return "".join(" " if unicodedata.category(sign) == "Zs" else sign for sign in composed)


def all_forms(texts: Iterable[str]) -> Iterator[str]:
    """Yields the texts, and the one form of those that are not in it."""
    for text in texts:
        yield text
        if (form := one_form(text)) != text:
            yield form


def look(name: str) -> str:
    """Returns what names have in common that look the same: accents, spaces and case apart.

    A byte that is no UTF-8 looks like the letter that it is in Latin-1.
    """
    letters = SPELLED_BYTE.sub(lambda found: chr(int(found[1], 16)), name)
    text = unicodedata.normalize("NFKC", letters).casefold()
    kept = (sign for sign in text if not _is_invisible(sign))
    return "".join(" " if sign.isspace() else sign for sign in kept)


def lookalike(name: str, names: Iterable[str]) -> str:
    """Returns the first of `names` that looks like `name`, "" if none does."""
    wanted = look(name)
    return next((one for one in sorted(names) if look(one) == wanted), "")


def twin(name: str, names: Iterable[str]) -> str:
    """Returns the first of `names` that differs from `name` in no way that shows, or ""."""
    wanted = _shown(name)
    return next((one for one in sorted(names) if one != name and _shown(one) == wanted), "")


def _shown(name: str) -> str:
    if name.isascii():
        return name
    kept = (sign for sign in name if sign.isascii() or not _is_invisible(sign))
    return one_form("".join(kept))


def _is_invisible(sign: str) -> bool:
    return unicodedata.category(sign) == "Cf" or _INVISIBLE.fullmatch(sign) is not None


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns the name that differs least, "" if none is near."""
    return next(iter(get_close_matches(name, sorted(names), 1, _LIKENESS)), "")


def exactly(path: str) -> str:
    """Returns a path as JSON writes it, so that every sign in it shows and can be sent back."""
    if path.isascii() or (unicodedata.normalize("NFC", path) == path and path.isprintable()):
        return json.dumps(path, ensure_ascii=False)
    return json.dumps(path)
