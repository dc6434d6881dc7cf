"""Cleans what a model sent, so that it can be stored and sent on, and reads its JSON tolerantly."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

REPLACEMENT = "\ufffd"
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_HIGH = re.compile("[\ud800-\udbff]\\Z")


def clean_text(text: str) -> str:
    """Joins surrogate pairs; replaces lone surrogates and NUL, which no database or wire takes."""
    if text.isascii():
        return text.replace("\x00", REPLACEMENT)
    if not _UNFIT.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _UNFIT.sub(REPLACEMENT, joined)


def clean_value(value: Any) -> Any:
    """Cleans every string of a JSON value."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_value(one) for one in value]
    if isinstance(value, dict):
        return {clean_text(str(name)): clean_value(one) for name, one in value.items()}
    return value


def read_json(data: bytes) -> Any:
    """Reads JSON, invalid UTF-8 and lone surrogates included; raises `ValueError`."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _read_slowly(data)


def _read_slowly(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


class TextJoiner:
    """Cleans a streamed text whose surrogate pairs may be split between two deltas."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Returns what can be shown now."""
        if not self._held and text.isascii():
            return clean_text(text)
        text = self._held + text
        self._held = text[-1] if _HIGH.search(text) else ""
        return clean_text(text[: len(text) - len(self._held)])

    def finish(self) -> str:
        """Returns what was held back in vain."""
        held, self._held = self._held, ""
        return clean_text(held)
