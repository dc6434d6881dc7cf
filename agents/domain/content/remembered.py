"""Memory: what a session holds, as a value that is kept and brought up to date by what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agents.domain.content.model_messages import ModelMessage


@dataclass(frozen=True, slots=True)
class Change:
    """A message that was added or changed; `position` counts from 1, `tokens` is as in `Memory`."""

    position: int
    message: ModelMessage
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Memory:
    """The messages of a session in order, as of a revision; -1: before there was anything.

    `counts`: the tokens of each, None where nobody has counted them yet.
    """

    revision: int = -1
    messages: tuple[ModelMessage, ...] = ()
    counts: tuple[int | None, ...] = ()

    def after(self, changes: Iterable[Change], length: int, revision: int) -> Memory | None:
        """Returns the memory of `length` messages at a later revision.

        `changes`: what was added or changed since, by position. None where they leave a hole: then
        this was not what they were made from.
        """
        messages, counts = list(self.messages[:length]), list(self.counts[:length])
        for change in changes:
            if change.position > length:
                continue
            at = slice(change.position - 1, change.position)
            messages[at], counts[at] = [change.message], [change.tokens]
        if len(messages) != length:
            return None
        return Memory(revision, tuple(messages), tuple(counts))

    def ended_with(self, message: ModelMessage, tokens: int | None, revision: int) -> Memory:
        """Returns the memory with one message more at its end."""
        return Memory(revision, (*self.messages, message), (*self.counts, tokens))

    def ending_in(self, message: ModelMessage, tokens: int | None, revision: int) -> Memory:
        """Returns the memory with another last message."""
        return Memory(revision, (*self.messages[:-1], message), (*self.counts[:-1], tokens))

    def counted(self, counts: Mapping[int, int]) -> Memory:
        """Returns the memory with tokens that were counted meanwhile, by position."""
        known = (counts.get(at, count) for at, count in enumerate(self.counts, start=1))
        return Memory(self.revision, self.messages, tuple(known))

    @property
    def tokens(self) -> int:
        """The tokens of all messages that are counted."""
        return sum(filter(None, self.counts))

    @property
    def uncounted(self) -> dict[int, ModelMessage]:
        """The messages nobody has counted yet, by position."""
        if None not in self.counts:
            return {}
        missing = (at for at, count in enumerate(self.counts) if count is None)
        return {at + 1: self.messages[at] for at in missing}

    @property
    def weight(self) -> int:
        """How much room it takes, in messages of a thousand tokens or less."""
        return len(self.messages) + self.tokens // 1_000 + self.counts.count(None)


EMPTY = Memory()
