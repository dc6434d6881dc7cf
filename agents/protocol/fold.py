"""Fold: applies a `message:delta` frame to the parts of a message, as every client must."""

from __future__ import annotations

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import TextPart, ThoughtPart
from agents.domain.content.transcript import OutOfOrder
from agents.protocol.frames import MessageDelta


def fold_delta(live: LiveParts, delta: MessageDelta) -> None:
    """Applies `delta`; a repeated one changes nothing.

    Raises `OutOfOrder` on a gap: the reader has to start again from a snapshot.
    """
    if delta.part is not None:
        _fold_part(live, delta)
    elif delta.seconds is not None and delta.index < len(live):
        live.replace(delta.index, ThoughtPart(text=delta.text or "", seconds=delta.seconds))
    else:
        _fold_text(live, delta, delta.text or "")


def _fold_part(live: LiveParts, delta: MessageDelta) -> None:
    part = delta.part
    if part is None:
        return
    if delta.index == len(live):
        live.start(delta.index, part)
    elif live.offset(delta.index) < delta.offset:
        live.replace(delta.index, part)


def _fold_text(live: LiveParts, delta: MessageDelta, text: str) -> None:
    if delta.index == len(live):
        if delta.offset:
            raise OutOfOrder(f"part {delta.index} begins at offset {delta.offset}")
        kind = TextPart if delta.kind == "text" else ThoughtPart
        live.start(delta.index, kind(text=text))
        return
    live.extend(delta.index, text, delta.offset)
