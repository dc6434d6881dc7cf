"""Command cards: the message of a person whose `!command` begins gets the card of its run."""

from __future__ import annotations

import json

from agents.domain.content.parts import ToolPart
from agents.models import Message, Turn

NAME = "!"


def open_card(turn: Turn) -> Message | None:
    """Adds a pending card to the request, which is the turn's answer too; the caller publishes."""
    row = turn.request
    if row is None:
        return None
    card = ToolPart(
        id=turn.id,
        name=NAME,
        title=" ".join(turn.argument.split())[:200],
        kind="execute",
        input=json.dumps({"command": turn.argument}, ensure_ascii=False),
    )
    row.parts = [*row.parts[:1], card.wire()]
    row.done = False
    row.save(update_fields=["parts", "done"])
    turn.committed_parts = len(row.parts)
    return row
