"""Context: what an agent is told of the channel together with a request (seeds S and M §6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.domain.content.parts import Part, TextPart
from agents.domain.content.wording import Sentences, say

MAX_PENDING = 150_000
"""Characters of pending context, as many as the files of one request may have (M §11.4)."""
UNSEEN_MESSAGES = 20
UNSEEN_LENGTH = 1_500
_TEXTS: Sentences = {
    "older": (
        "[… the outputs of earlier commands of the user were left out …]",
        "[… les sorties de commandes plus anciennes de l'utilisateur ont été omises …]",
    ),
}


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as another agent reads it: who said what."""

    speaker: str
    text: str


def spoken_text(parts: Iterable[Part]) -> str:
    """Returns the text parts of a message, joined; thoughts and tools are not said."""
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart) and part.text)


def build_request(
    text: str, *, speaker: str | None, unseen: Sequence[Heard] = (), pending: Sequence[str] = ()
) -> str:
    """Returns one user text: pending context, messages not seen yet, then the request.

    At most the last 20 unseen messages, each cut to 1,500 characters (seed S). `speaker` names
    who asks, where several people share the channel.
    """
    blocks = list(pending)
    if unseen:
        lines = [f"[{one.speaker}] {_cut(one.text)}" for one in unseen[-UNSEEN_MESSAGES:]]
        blocks.append("<channel-history>\n" + "\n\n".join(lines) + "\n</channel-history>")
    blocks.append(f"[{speaker}] {text}" if speaker else text)
    return "\n\n".join(blocks)


def add_pending(pending: Sequence[str], text: str, language: str) -> list[str]:
    """Returns the pending context with `text` at its end; beyond the limit the oldest goes."""
    left_out = _TEXTS["older"]
    kept = [*(one for one in pending if one not in left_out), text]
    before = len(kept)
    while len(kept) > 1 and sum(map(len, kept)) > MAX_PENDING:
        kept.pop(0)
    gone = len(kept) < before or any(one in left_out for one in pending)
    return [say(_TEXTS, "older", language), *kept] if gone else kept


def _cut(text: str) -> str:
    return text if len(text) <= UNSEEN_LENGTH else text[:UNSEEN_LENGTH] + "…"
