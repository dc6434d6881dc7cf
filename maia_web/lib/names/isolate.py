"""Isolate: names that run from right to left stand in sentences without turning them."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import bidirectional

_FIRST_STRONG, _END = "\u2068", "\u2069"


def isolated(name: str) -> str:
    """Returns a name as it stands in a sentence: what runs from right to left is set apart.

    Else the mark behind it would jump in front of it, and two such names change their places.
    """
    if name.isascii() or not any(bidirectional(sign) in ("R", "AL") for sign in name):
        return name
    return f"{_FIRST_STRONG}{name}{_END}"


def isolated_list(names: Iterable[str]) -> str:
    """Returns names one after the other, each in its place."""
    return ", ".join(map(isolated, names))
