"""Wording: sentences the model reads, in the language of the site (English or French)."""

from __future__ import annotations

from collections.abc import Mapping

from maia_web.lib.translated import Translated

Sentences = Mapping[str, tuple[str, str]]
"""Key to (English, French)."""


def say(sentences: Sentences, key: str, language: str, **values: object) -> str:
    """Returns the sentence `key` in `language`; any language but "fr…" gives English."""
    english, french = sentences[key]
    return (french if language.startswith("fr") else english).format(**values)


def say_to_all(sentences: Sentences, key: str, language: str, **values: object) -> Translated:
    """Returns the same sentence for people, who may read it later in the other language."""
    every = {code: say(sentences, key, code, **values) for code in ("en", "fr")}
    return Translated(say(sentences, key, language, **values), every)
