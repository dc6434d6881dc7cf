"""Wildcard: texts in which `*` stands for anything, matched in linear time."""

from __future__ import annotations

from dataclasses import dataclass

from workspaces.domain.names import one_form


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Text in which `*` stands for any run of characters (seed M §9.3)."""

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, text: str, star: str = "*") -> Wildcard:
        """Compiles `text`; without a `star`, no sign in it has a meaning."""
        return cls(tuple(text.split(star)) if star else (text,))

    @property
    def is_text(self) -> bool:
        """Says whether only one text fits."""
        return len(self.pieces) == 1

    @property
    def forms(self) -> tuple[Wildcard, ...]:
        """Itself and, if that is another, in the one form of letters and blanks."""
        form = Wildcard(tuple(map(one_form, self.pieces)))
        return (self,) if form == self else (self, form)

    def matches(self, text: str) -> bool:
        """Says whether the whole of `text` fits."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            return text == first
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return False
        for piece in self.pieces[1:-1]:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True

    def may_meet(self, other: Wildcard) -> bool:
        """False only if no text fits both (it may say True too often, never too rarely)."""
        if len(self.pieces) == 1:
            return other.matches(self.pieces[0])
        if len(other.pieces) == 1:
            return self.matches(other.pieces[0])
        heads = (self.pieces[0], other.pieces[0])
        tails = (self.pieces[-1], other.pieces[-1])
        return (heads[0].startswith(heads[1]) or heads[1].startswith(heads[0])) and (
            tails[0].endswith(tails[1]) or tails[1].endswith(tails[0])
        )
