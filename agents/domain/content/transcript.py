"""Transcript: folds events and delta frames into the parts of a message."""

from __future__ import annotations

from agents.domain.content.events import PartDelta, PartReplaced, PartStarted
from agents.domain.content.parts import (
    Part,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    utf16_length,
)


class OutOfOrder(ValueError):
    """An event that cannot follow what came before; the fold must start again from a snapshot."""


def apply(
    parts: tuple[Part, ...], event: PartStarted | PartDelta | PartReplaced
) -> tuple[Part, ...]:
    """Returns `parts` after `event`.

    Raises `OutOfOrder` when the event skips a part or does not fit the kind of the part.
    """
    match event:
        case PartStarted(index=index, part=part):
            if index != len(parts):
                raise OutOfOrder(f"part {index} started after {len(parts)} parts")
            return (*parts, part)
        case PartDelta(index=index, text=text):
            target = _part_at(parts, index)
            if not isinstance(target, TextPart | ThoughtPart):
                raise OutOfOrder(f"text for the {target.type} part {index}")
            grown = target.model_copy(update={"text": target.text + text})
            return (*parts[:index], grown, *parts[index + 1 :])
        case PartReplaced(index=index, part=part):
            if type(_part_at(parts, index)) is not type(part):
                raise OutOfOrder(f"part {index} cannot become {part.type}")
            return (*parts[:index], part, *parts[index + 1 :])


def offset_of(part: Part) -> int:
    """Returns how far a part has come: text length in UTF-16 units, or the revision."""
    match part:
        case TextPart() | ThoughtPart():
            return utf16_length(part.text)
        case ToolPart() | PlanPart():
            return part.rev


def settle(parts: tuple[Part, ...], at: str) -> tuple[Part, ...]:
    """Returns the parts of an answer that is over: tool calls still open have failed at `at`."""
    return tuple(
        part.model_copy(update={"status": "failed", "rev": part.rev + 1, "ended_at": at})
        if isinstance(part, ToolPart) and part.status in ("pending", "in_progress")
        else part
        for part in parts
    )


def _part_at(parts: tuple[Part, ...], index: int) -> Part:
    if not 0 <= index < len(parts):
        raise OutOfOrder(f"no part {index} among {len(parts)}")
    return parts[index]
