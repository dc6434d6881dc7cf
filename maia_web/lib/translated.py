"""Translated: a sentence with its text in every language of the site, for readers yet to come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class Translated(str):
    """The sentence in the language of who it was made for; `every` has language to sentence."""

    every: Mapping[str, str]

    def __new__(cls, text: str, every: Mapping[str, str]) -> Self:
        """Makes it of the sentence and its translations."""
        made = super().__new__(cls, text)
        made.every = every
        return made


def translations(text: str) -> dict[str, str] | None:
    """Returns what `text` is in each language, None where it knows only one."""
    return dict(text.every) if isinstance(text, Translated) else None
