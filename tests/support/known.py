"""What a test knows of a value and its type does not say; a test that is wrong about it fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from agents.domain.content.model_messages import ModelMessage, ToolResultBlock

T = TypeVar("T")


def known(value: T | None) -> T:
    """`value`, which is not None."""
    assert value is not None
    return value


def each(kind: type[T], values: Iterable[object]) -> list[T]:
    """`values`, all of one kind."""
    kept = []
    for value in values:
        assert isinstance(value, kind), value
        kept.append(value)
    return kept


def the(kind: type[T], value: object) -> T:
    """`value`, of one kind."""
    return each(kind, [value])[0]


def results(message: ModelMessage) -> list[str]:
    """What a message says to the model of the calls before it: nothing but results."""
    return [result.content for result in each(ToolResultBlock, message.content)]


def match(pattern: str, text: str) -> re.Match[str]:
    """Where `pattern` stands in `text` for the first time."""
    return known(re.search(pattern, text))
