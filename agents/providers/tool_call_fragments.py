"""Tool-call fragments: assembles the calls of one answer tolerantly (seed M §7.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from agents.engine.ports.model import ToolUse
from agents.providers.arguments import is_complete, read_arguments
from agents.providers.attached import SIGNED_ID, attached_to_call, joined
from agents.providers.clean import clean_text, clean_value

NAMELESS = "unnamed"
LONGEST_ID = 120
LONGEST_NAME = 120
SHOWN = 1_000
"""Characters the model is shown of arguments that cannot be read."""


@dataclass(slots=True)
class _Call:
    index: int
    id: str = ""
    name: str = ""
    texts: list[str] = field(default_factory=list)
    given: dict[str, Any] | None = None
    deltas: list[dict[str, Any]] = field(default_factory=list)

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
        return text.rstrip().endswith("}") and is_complete(text)


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    id: str
    name: str
    arguments: Any
    attached: dict[str, Any]


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
        if fragment.attached:
            call.deltas.append(fragment.attached)
        self._last = call

    def calls(self, taken: frozenset[str] = frozenset(), first_number: int = 1) -> list[ToolUse]:
        """Returns the calls sorted by index; what of arguments is no object becomes `{}`.

        A missing id becomes `call_N`, N counting from `first_number`; an id of `taken` (used
        earlier in the conversation) gets a suffix, since a result is found by its id.
        """
        used = set(taken)
        uses: list[ToolUse] = []
        for number, call in enumerate(
            sorted(self._calls, key=lambda call: call.index), first_number
        ):
            given, signed, _signature = clean_text(call.id).partition(SIGNED_ID)
            if signed:
                call.deltas.append({"id": clean_text(call.id)})
            wanted = given[:LONGEST_ID] or f"call_{number}"
            name = clean_text(call.name).strip()[:LONGEST_NAME] or NAMELESS
            uses.append(_use(call, _unique(wanted, used), name))
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
        if candidate is None:
            return None
        if candidate.id:  # some servers make up another id for each fragment
            goes_on = at_index is not None and not fragment.name and not candidate.complete
            return candidate if goes_on else None
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
    function = function if isinstance(function, dict) else raw
    index, id_, name = raw.get("index"), raw.get("id"), function.get("name")
    fragment = _Fragment(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        id=str(id_) if isinstance(id_, str | int) else "",
        name=name if isinstance(name, str) else "",
        arguments=function.get("arguments"),
        attached=attached_to_call(raw),
    )
    says = fragment.id or fragment.name or fragment.arguments not in (None, "")
    return fragment if says or fragment.attached else None


def _begins_anew(call: _Call, fragment: _Fragment) -> bool:
    """Whether a name without an id opens another call, not a repeated or split head."""
    if not call.begun or not call.name:
        return False
    if fragment.name != call.name:
        return True
    if fragment.index is None:
        return call.complete
    return call.complete and call.arguments.strip() not in {"{}", fragment.arguments}


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


def _use(call: _Call, id: str, name: str) -> ToolUse:
    """Returns the call with what its arguments hold, or how they begin where that is no object."""
    attached = joined(call.deltas)
    if call.given is not None:
        return ToolUse(id, name, clean_value(call.given), attached=attached)
    read = read_arguments(call.texts)
    if read.value is None:
        text = clean_text(call.arguments).strip()[:SHOWN]
        return ToolUse(id, name, {}, unreadable=text, attached=attached)
    return ToolUse(id, name, read.value, more=read.more, attached=attached)


def _unique(wanted: str, used: set[str]) -> str:
    name, number = wanted, 2
    while name in used:
        name, number = f"{wanted}_{number}", number + 1
    used.add(name)
    return name
