"""Tool-call fragments: assembles the calls of one answer tolerantly (seed M §7.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from agents.engine.ports.model import ToolUse
from agents.providers.clean import clean_text, clean_value, read_json

NAMELESS = "unnamed"
LONGEST_ID = 120
LONGEST_NAME = 120
SHOWN = 200


@dataclass(slots=True)
class _Call:
    index: int
    id: str = ""
    name: str = ""
    texts: list[str] = field(default_factory=list)
    given: dict[str, Any] | None = None

    @property
    def arguments(self) -> str:
        return "".join(self.texts)

    @property
    def begun(self) -> bool:
        return self.given is not None or any(text.strip() for text in self.texts)

    @property
    def complete(self) -> bool:
        if self.given is not None:
            return True
        text = self.arguments
        return text.rstrip().endswith("}") and _object(text) is not None


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    id: str
    name: str
    arguments: Any


class ToolCallFragments:
    """Collects fragments in the order they came; `calls` gives the complete calls."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._last: _Call | None = None

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, raw: Any) -> None:
        """Takes one entry of `delta.tool_calls` (or a legacy `function_call`, wrapped)."""
        fragment = _read(raw)
        if fragment is None:
            return
        call = self._target(fragment)
        if fragment.id and not call.id:
            call.id = fragment.id
        _add_name(call, fragment.name)
        _add_arguments(call, fragment.arguments)
        self._last = call

    def calls(self, taken: frozenset[str] = frozenset(), first_number: int = 1) -> list[ToolUse]:
        """Returns the calls sorted by index; invalid arguments become `{}`.

        A missing id becomes `call_N`, N counting from `first_number`; an id of `taken` (used
        earlier in the conversation) gets a suffix, since a result is found by its id.
        """
        used = set(taken)
        uses: list[ToolUse] = []
        for number, call in enumerate(
            sorted(self._calls, key=lambda call: call.index), first_number
        ):
            wanted = clean_text(call.id)[:LONGEST_ID] or f"call_{number}"
            name = clean_text(call.name).strip()[:LONGEST_NAME] or NAMELESS
            uses.append(ToolUse(_unique(wanted, used), name, _arguments(call), _unreadable(call)))
        return uses

    def _target(self, fragment: _Fragment) -> _Call:
        known = self._known(fragment)
        if known is not None:
            return known
        index = fragment.index
        if index is None:
            index = max((call.index for call in self._calls), default=-1) + 1
        call = _Call(index)
        self._calls.append(call)
        return call

    def _known(self, fragment: _Fragment) -> _Call | None:
        at_index = self._at(fragment.index)
        if fragment.id:
            return self._of_id(fragment, at_index)
        if fragment.name:
            candidate = self._last if fragment.index is None else at_index
            return None if candidate is None or _begins_anew(candidate, fragment) else candidate
        return at_index or self._last

    def _of_id(self, fragment: _Fragment, at_index: _Call | None) -> _Call | None:
        for call in reversed(self._calls):
            if call.id == fragment.id and (
                fragment.index in {None, call.index} or not fragment.name
            ):
                return call
        candidate = self._last if fragment.index is None else at_index
        if candidate is None or candidate.id:
            return None
        return None if fragment.name and candidate.name and candidate.complete else candidate

    def _at(self, index: int | None) -> _Call | None:
        if index is None:
            return None
        if self._last is not None and self._last.index == index:
            return self._last
        return next((call for call in reversed(self._calls) if call.index == index), None)


def _read(raw: Any) -> _Fragment | None:
    if not isinstance(raw, dict):
        return None
    function = raw.get("function")
    function = function if isinstance(function, dict) else {}
    index, id_, name = raw.get("index"), raw.get("id"), function.get("name")
    fragment = _Fragment(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        id=str(id_) if isinstance(id_, str | int) else "",
        name=name if isinstance(name, str) else "",
        arguments=function.get("arguments"),
    )
    empty = not fragment.id and not fragment.name and fragment.arguments in (None, "")
    return None if empty else fragment


def _begins_anew(call: _Call, fragment: _Fragment) -> bool:
    """Whether a name without an id opens another call, not a repeated or split head."""
    if not call.begun or not call.name:
        return False
    return call.complete or fragment.name != call.name


def _add_name(call: _Call, name: str) -> None:
    if name and name != call.name and not (call.name and call.begun):
        call.name += name


def _add_arguments(call: _Call, arguments: Any) -> None:
    if isinstance(arguments, dict):
        call.given = {**(call.given or {}), **arguments}
    elif isinstance(arguments, str):
        call.texts.append(arguments)
    elif arguments is not None:
        call.texts.append(json.dumps(arguments))


def _arguments(call: _Call) -> dict[str, Any]:
    given = call.given if call.given is not None else _object(call.arguments)
    cleaned: dict[str, Any] = clean_value(given or {})
    return cleaned


def _unreadable(call: _Call) -> str:
    """Returns how arguments begin that are no JSON object; none at all are an empty one."""
    if call.given is not None or not call.arguments.strip():
        return ""
    try:
        value = read_json(clean_text(call.arguments).encode())
    except ValueError:
        return clean_text(call.arguments)[:SHOWN]
    is_fine = isinstance(value, dict) or not value
    return "" if is_fine else clean_text(call.arguments)[:SHOWN]


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = read_json(clean_text(text).encode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _unique(wanted: str, used: set[str]) -> str:
    name, number = wanted, 2
    while name in used:
        name, number = f"{wanted}_{number}", number + 1
    used.add(name)
    return name
