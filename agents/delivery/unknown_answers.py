"""UnknownAnswers: deltas of answers whose beginning this process has not seen.

A web process that starts, or loses Redis for a moment, meets answers in their middle. What is saved
lags behind what streams, so neither alone is enough: the saved parts and the deltas since then are.
"""

from __future__ import annotations

from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import Part, utf16_length
from agents.domain.content.transcript import OutOfOrder, offset_of
from agents.protocol.fold import fold_delta
from agents.protocol.frames import MessageDelta

MOST_DELTAS = 5_000
MOST_ANSWERS = 200


class UnknownAnswers:
    """Keeps the deltas of each such answer until a snapshot joins them."""

    def __init__(self) -> None:
        self._deltas: dict[str, list[MessageDelta]] = {}

    def add(self, delta: MessageDelta) -> None:
        """Keeps a delta; of very many only the latest."""
        kept = self._deltas.setdefault(delta.message_id, [])
        kept.append(delta)
        if len(kept) > MOST_DELTAS:
            del kept[: MOST_DELTAS // 2]
        if len(self._deltas) > MOST_ANSWERS:
            del self._deltas[next(iter(self._deltas))]

    def known_from(self, message_id: str, saved: tuple[Part, ...]) -> LiveParts | None:
        """Returns the answer as it streams now; None as long as what is saved is too old.

        The saved parts must hold the first delta: one that merely follows them may begin a part
        although the end of the part before is missing.
        """
        deltas = self._deltas.get(message_id)
        if not deltas or not _holds(saved, deltas[0]):
            return None
        live = LiveParts(saved)
        try:
            for delta in deltas:
                fold_delta(live, delta)
        except OutOfOrder:
            return None
        del self._deltas[message_id]
        return live

    def waits(self, message_id: str) -> bool:
        """Whether deltas of this answer wait for saved parts that reach them."""
        return message_id in self._deltas

    def forget(self, message_id: str) -> None:
        """The answer is known, or over."""
        self._deltas.pop(message_id, None)

    def clear(self) -> None:
        """Forgets all of it."""
        self._deltas.clear()


def _holds(saved: tuple[Part, ...], delta: MessageDelta) -> bool:
    end = delta.offset + utf16_length(delta.text or "")
    return delta.index < len(saved) and offset_of(saved[delta.index]) >= end
