"""Storable text: without the characters that models and commands print but no database keeps."""

from __future__ import annotations

import re
from typing import Any

# NUL is refused by PostgreSQL, a lone surrogate by UTF-8
_LOST = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Returns the text with what cannot be stored replaced by U+FFFD."""
    return text if text.isascii() and "\0" not in text else _LOST.sub("\ufffd", text)


def storable_json(value: Any) -> Any:
    """Returns a JSON value with all its texts, keys too, storable."""
    match value:
        case str():
            return storable(value)
        case list():
            return [storable_json(item) for item in value]
        case dict():
            return {storable(str(key)): storable_json(item) for key, item in value.items()}
        case _:
            return value
