"""The browser's words: the same keys in every language, all used, none missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

STATIC = Path(__file__).resolve().parents[2] / "static" / "maia"
LANGUAGES = ("en", "fr")
KEY = re.compile(r"""\b(?:t|pieces)\(\s*(["'])([^"'`$]+)\1""")
# Keys that are put together, t(`end.${reason}`), or chosen from a table of strings.
BUILT = re.compile(r"`([\w-]+\.(?:[\w-]+\.)*)\$\{")
STRING = re.compile(r"""["'`]([A-Za-z][\w-]*(?:\.[\w-]+)*)["'`]""")
FIELD = re.compile(r"\{(\w+)\}")


def _catalogue(language: str) -> dict[str, object]:
    words: dict[str, object] = {}
    for path in sorted((STATIC / "i18n").glob(f"*.{language}.json")):
        words.update(json.loads(path.read_text("utf-8")))
    return words


def _sources() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(STATIC.rglob("*.js")))


def _fields(sentence: object) -> set[str]:
    forms = sentence.values() if isinstance(sentence, dict) else [sentence]
    return {name for form in forms for name in FIELD.findall(str(form))}


def test_every_language_has_the_same_keys() -> None:
    english, french = (_catalogue(language) for language in LANGUAGES)
    assert set(english) == set(french)


def test_every_language_fills_in_the_same_fields() -> None:
    english, french = (_catalogue(language) for language in LANGUAGES)
    different = {
        key: (_fields(english[key]), _fields(french[key]))
        for key in english.keys() & french.keys()
        if _fields(english[key]) != _fields(french[key])
    }
    assert different == {}


def test_every_key_that_is_asked_for_exists() -> None:
    asked = {key for _quote, key in KEY.findall(_sources())}
    assert sorted(asked - _catalogue("en").keys()) == []


def test_every_key_is_used() -> None:
    source = _sources()
    named = set(STRING.findall(source))
    built = tuple(BUILT.findall(source))
    unused = [
        key
        for key in _catalogue("en")
        if key not in named and not (built and key.startswith(built))
    ]
    assert sorted(unused) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_empty(language: str) -> None:
    assert [key for key, sentence in _catalogue(language).items() if not sentence] == []
