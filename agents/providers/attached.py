"""Attached: what a provider adds to an answer and its calls, and wants back unchanged.

DeepSeek, Kimi and GLM refuse the next request of a turn without `reasoning_content`, OpenRouter
wants `reasoning_details`, Gemini `extra_content` with its `thought_signature`, Anthropic behind
LiteLLM `thinking_blocks`. Nobody here reads them: they are put together from their deltas, kept
and sent back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agents.providers.clean import clean_value

SIGNED_ID = "__thought__"
"""What LiteLLM puts between the id of a call and the signature that Gemini wants back."""
_NAMES = re.compile(
    r"reason|think|thought|signature|encrypted|extra_content|provider_specific_fields",
    re.IGNORECASE,
)
_GROWING = frozenset({"text", "summary", "thinking", "content"})
_OF_A_CALL = frozenset({"index", "id", "type", "function"})
_OF_A_FUNCTION = frozenset({"name", "arguments"})


def attached_to_answer(delta: dict[str, Any]) -> dict[str, Any]:
    """Returns what a delta (or a whole message) holds that goes back with the answer."""
    return _given({name: one for name, one in delta.items() if _NAMES.search(str(name))})


def attached_to_call(call: dict[str, Any]) -> dict[str, Any]:
    """Returns what an entry of `tool_calls` holds besides id, name and arguments."""
    found = _given({name: one for name, one in call.items() if name not in _OF_A_CALL})
    function = call.get("function")
    if isinstance(function, dict):
        inner = _given({name: one for name, one in function.items() if name not in _OF_A_FUNCTION})
        found |= {"function": inner} if inner else {}
    return found


def joined(deltas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the fields that came in pieces: texts one after the other, entries that go on too."""
    names = dict.fromkeys(name for delta in deltas for name in delta)
    return {
        name: _value(name, [delta[name] for delta in deltas if name in delta]) for name in names
    }


def _value(name: str, pieces: list[Any]) -> Any:
    if all(isinstance(one, list) for one in pieces):
        return _entries([entry for one in pieces for entry in one])
    if all(isinstance(one, dict) for one in pieces):
        return joined(pieces)
    if _grows(name) and all(isinstance(one, str) for one in pieces):
        return "".join(pieces)
    return pieces[-1]


def _grows(name: str) -> bool:
    """Whether a field's pieces are one text; a signature comes whole, perhaps more than once."""
    return "signature" not in name and ("reason" in name or "th" in name or name in _GROWING)


def _entries(all_of_them: list[Any]) -> list[Any]:
    runs: list[list[Any]] = []
    for entry in all_of_them:
        if runs and _goes_on(runs[-1], entry):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [run[0] if len(run) == 1 else _entry(run) for run in runs]


def _goes_on(run: list[Any], entry: Any) -> bool:
    """Whether an entry of a list is the next piece of the last one, and not another."""
    last = run[-1]
    if not isinstance(last, dict) or not isinstance(entry, dict):
        return False
    if last.get("type") != entry.get("type") or not _GROWING & {*last, *entry}:
        return False
    for name in ("index", "id"):
        if None not in (last.get(name), entry.get(name)) and last[name] != entry[name]:
            return False
    numbered = last.get("index") is not None and entry.get("index") is not None
    return numbered or not last.get("signature")


def _entry(run: list[dict[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for piece in run for name in piece)
    whole: dict[str, Any] = {}
    for name in names:
        values = [piece[name] for piece in run if piece.get(name) not in (None, "")]
        if name in _GROWING and values and all(isinstance(one, str) for one in values):
            whole[name] = "".join(values)
        else:
            whole[name] = values[-1] if values else run[-1].get(name, run[0].get(name))
    return whole


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: clean_value(one) for name, one in fields.items() if not _is_empty(one)}


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_empty(one) for one in value.values())
    return value in (None, "", [])
