"""Arguments: the one object that the text of a tool call's arguments holds, however it was sent.

Servers and proxies put `{}` before the object, repeat it with every fragment, join two calls,
encode it twice, or leave raw line breaks in its strings. What is not complete is never completed:
half a command is another command.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agents.providers.clean import clean_text, clean_value

DEEPEST = 3
"""How often an object may be encoded as a string."""


def _no_number(name: str) -> float:
    """No database keeps what Python's reader would take: NaN and the infinities."""
    raise ValueError(name)


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_number, parse_float=_number)
_JUNK = object()
_BETWEEN = re.compile(r"[\s,;\ufeff]*")
_BEFORE = re.compile(r"[^{\[\"]+(?=\{)")
"""Words before the object, which is then no part of another that was cut."""
_FENCE = re.compile(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was read: `value` is None where no complete object is there.

    `more`: how many other objects follow, which are not those of this call.
    """

    value: dict[str, Any] | None
    more: int = 0


def read_arguments(fragments: Sequence[str]) -> Arguments:
    """Returns the object that the joined fragments hold; no text at all is an empty one."""
    text = clean_text("".join(fragments)).strip().removeprefix("\ufeff").lstrip()
    if not text:
        return Arguments({})
    read = _read(text, 1)
    if read.value is not None:
        return read
    last = fragments[-1] if fragments else ""
    if len(fragments) > 1 and _grow(fragments):  # each fragment repeats all that came before it
        return _read(clean_text(last).strip(), 1)
    before = _BEFORE.match(text)
    return _read(text[before.end() :], 1) if before else read


def is_complete(text: str) -> bool:
    """Returns whether the text is one JSON object, from its beginning to its end."""
    try:
        return isinstance(_DECODER.decode(clean_text(text)), dict)
    except (ValueError, RecursionError):
        return False


def _read(text: str, depth: int) -> Arguments:
    fenced = _FENCE.match(text)
    values = [_object(value, depth) for value in _values(fenced[1] if fenced else text)]
    full = [value for value in values if isinstance(value, dict) and value]
    if full:
        return Arguments(clean_value(full[0]), sum(one != full[0] for one in full))
    return Arguments(None if any(value is not None and value != {} for value in values) else {})


def _values(text: str) -> list[Any]:
    """Returns the JSON values that follow one another, `_JUNK` for what is none behind them."""
    values: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            values.append(_JUNK)
            break
        values.append(value)
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
    return values


def _object(value: Any, depth: int) -> Any:
    """Returns the object that a value is or holds alone; None for an empty value, else itself."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict | str):
        return _object(value[0], depth)
    if isinstance(value, str) and value.strip() and depth < DEEPEST:
        inner = _read(value.strip(), depth + 1).value
        return value if inner is None else inner
    return value or (value if isinstance(value, dict) else None)


def _grow(fragments: Sequence[str]) -> bool:
    return all(
        later.startswith(earlier) for earlier, later in pairwise(fragments) if earlier.strip()
    )
