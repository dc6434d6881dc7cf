"""Texts: what the demo model says, and the words it understands, in English and in French."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Language = Literal["en", "fr"]


def say(name: str, language: Language, **values: object) -> str:
    """Returns a saying with its values filled in."""
    text: str = _table("sayings")[name][language == "fr"]
    return text.format(**values)


@cache
def words(name: str) -> re.Pattern[str]:
    """Returns what finds the words of that name in a sentence."""
    table = _table("words")
    text = table[name].replace("LEAD", table["lead"]).replace("PROGRAMS", table["programs"])
    return re.compile(text, re.I | re.S)


def named_in(kind: str, text: str) -> list[str]:
    """Returns the names of that kind (wishes, files…) whose words are in the text, in order."""
    table = _table("words")[kind].items()
    return [name for name, pattern in table if re.search(pattern, text, re.I | re.S)]


@cache
def text_file(name: str) -> str:
    """Returns one of the longer texts, as the file holds it."""
    return (files(__package__) / name).read_text(encoding="utf-8")


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(text_file(f"{name}.toml"))
