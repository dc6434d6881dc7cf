"""Transcript: how far the parts of a message are, and what is left of them when its turn ends."""

from __future__ import annotations

from agents.domain.content.parts import (
    Part,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    utf16_length,
)


class OutOfOrder(ValueError):
    """What cannot follow what came before; the fold must start again from a snapshot."""


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
