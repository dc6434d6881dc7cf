"""Wording: sentences the model reads, in the language of the site (English or French)."""

from __future__ import annotations

from collections.abc import Mapping

Sentences = Mapping[str, tuple[str, str]]
"""Key to (English, French)."""


def say(sentences: Sentences, key: str, language: str, **values: object) -> str:
    """Returns the sentence `key` in `language`; any language but "fr…" gives English."""
    english, french = sentences[key]
    return (french if language.startswith("fr") else english).format(**values)
