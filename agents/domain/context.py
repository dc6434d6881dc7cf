"""Context: what an agent is told of the channel together with a request (seeds S and M §6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.domain.parts import Part, TextPart

UNSEEN_MESSAGES = 20
UNSEEN_LENGTH = 1_500


@dataclass(frozen=True, slots=True)
class Said:
    """A message as another agent reads it: who said what."""

    speaker: str
    text: str


def spoken_text(parts: Iterable[Part]) -> str:
    """Returns the text parts of a message, joined; thoughts and tools are not said."""
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart) and part.text)


def build_request(
    text: str, *, speaker: str | None, unseen: Sequence[Said] = (), pending: Sequence[str] = ()
) -> str:
    """Returns one user text: pending context, messages not seen yet, then the request.

    At most the last 20 unseen messages, each cut to 1,500 characters (seed S). `speaker` names
    who asks, where several people share the channel.
    """
    blocks = list(pending)
    if unseen:
        lines = [f"[{said.speaker}] {_cut(said.text)}" for said in unseen[-UNSEEN_MESSAGES:]]
        blocks.append("<channel-history>\n" + "\n\n".join(lines) + "\n</channel-history>")
    blocks.append(f"[{speaker}] {text}" if speaker else text)
    return "\n\n".join(blocks)


def _cut(text: str) -> str:
    return text if len(text) <= UNSEEN_LENGTH else text[:UNSEEN_LENGTH] + "…"
