"""Cards: what frames carry of a tool call; the whole of a large one is read when it is opened.

An answer may have dozens of calls with files and outputs of a hundred thousand characters each,
and each change of a card sends it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents.domain.content.changes import extent
from agents.domain.content.messages import Message
from agents.domain.content.parts import Cut, Diff, Part, PlanPart, ToolPart

OUTPUT = 8_000
"""Characters of an output that frames carry, half from its beginning, half from its end."""
DIFFS = 24_000
"""Characters of all texts of a card's diffs."""
INPUT = 8_000
ASKED_INPUT = 64_000
"""The same for a call that a person is asked about: they must see all of it before they answer."""
VALUE = 1_000
GAP = "\n…\n"


def card(part: ToolPart, most_input: int = INPUT) -> ToolPart:
    """Returns the card as frames carry it: itself, or one that says in `cut` what it leaves out."""
    changes: dict[str, Any] = {}
    if len(part.output) > OUTPUT:
        changes["output"] = part.output[: OUTPUT // 2] + GAP + part.output[-OUTPUT // 2 :]
    for name in ("input", "original"):
        value = getattr(part, name)
        if value is not None and len(value) > most_input:
            changes[name] = _short_input(value)
    if sum(_size(diff) for diff in part.diffs) > DIFFS:
        changes["diffs"] = ()
    if not changes or part.cut is not None:
        return part
    return part.model_copy(update={**changes, "cut": _cut(part)})


def carried(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Returns the parts of a message as frames carry them."""
    return tuple(card(part) if isinstance(part, ToolPart) else part for part in parts)


def weight(message: Message) -> int:
    """Returns about how many characters a message takes on the wire."""
    return 600 + sum(part_weight(part) for part in message.parts)


def part_weight(part: Part) -> int:
    """Returns about how many characters a part takes, whole."""
    if isinstance(part, ToolPart):
        diffs = sum(_size(diff) for diff in part.diffs)
        return 400 + len(part.output) + len(part.input) + len(part.original or "") + diffs
    if isinstance(part, PlanPart):
        return sum(60 + len(entry.content) + len(entry.active) for entry in part.entries)
    return 60 + len(part.text)


def _size(diff: Diff) -> int:
    return len(diff.old_text) + len(diff.new_text)


def _cut(part: ToolPart) -> Cut:
    extents = [extent(diff) for diff in part.diffs]
    return Cut(
        output=len(part.output),
        lines=part.output.removesuffix("\n").count("\n") + 1 if part.output else 0,
        added=sum(added for added, _removed in extents),
        removed=sum(removed for _added, removed in extents),
    )


def _short_input(text: str) -> str:
    """Keeps the input JSON: what it is about is read off it."""
    try:
        value = json.loads(text)
    except ValueError:
        return "{}"
    if not isinstance(value, dict):
        return "{}"
    short = {key[:100]: _short_value(each) for key, each in list(value.items())[:30]}
    return json.dumps(short, ensure_ascii=False)


def _short_value(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= VALUE else value[:VALUE] + "…"
    return value if len(json.dumps(value)) <= VALUE else "…"
