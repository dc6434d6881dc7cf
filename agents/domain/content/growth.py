"""Growth: what an answer has grown by since it was last saved, so that a save costs what is new.

All parts are saved again only when as much has come as was saved then: however an answer grows,
what is written stays within a small multiple of its length.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agents.domain.content.cards import part_weight
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import Part, ThoughtPart, utf16_length
from agents.domain.content.transcript import OutOfOrder, offset_of
from maia_web.lib.values import Value

WHOLE_FROM = 64 * 1024
"""Characters of growth below which all parts are never saved again."""


class Change(Value):
    """Text that begins at `offset` (UTF-16 units) of part `index`; or `part`, as it is now."""

    index: int
    offset: int = 0
    text: str = ""
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """What is new of an answer that has `count` parts now."""

    changes: tuple[Change, ...]
    count: int

    def __len__(self) -> int:
        return self.count


Unsaved = tuple[Part, ...] | Growth
"""What there is to save of an answer: all of its parts, or what is new; `len` is their number."""


def grown(parts: tuple[Part, ...], changes: Iterable[Change]) -> tuple[Part, ...]:
    """Returns saved parts and all they have grown by, in the order it was saved.

    What the parts hold already changes nothing. Nothing follows what is missing.
    """
    live = LiveParts(parts)
    try:
        for change in changes:
            _fold(live, change)
    except OutOfOrder:
        pass
    return live.parts


def _fold(live: LiveParts, change: Change) -> None:
    part = change.part
    if change.index < len(live) and _is_over(live.part(change.index)):
        if part is not None and _is_over(part):
            live.replace(change.index, part)
    elif part is None:
        live.extend(change.index, change.text, change.offset)
    elif change.index == len(live):
        live.start(change.index, part)
    elif live.offset(change.index) < offset_of(part) or _is_over(part):
        live.replace(change.index, part)


def _is_over(part: Part) -> bool:
    """Whether it is a thought that has ended: its text is all of it, whatever was known."""
    return isinstance(part, ThoughtPart) and part.seconds is not None


@dataclass(slots=True)
class _Text:
    offset: int
    pieces: list[str] = field(default_factory=list)


class Growing:
    """Notes what of live parts is not saved yet."""

    __slots__ = ("_all", "_live", "_parts", "_saved", "_since", "_texts")

    def __init__(self, live: LiveParts) -> None:
        self._live = live
        self._texts: dict[int, _Text] = {}
        self._parts: set[int] = set()
        self._all = False
        self._saved = sum(part_weight(part) for part in live.parts)
        self._since = 0

    def text(self, index: int, offset: int, text: str) -> None:
        """Text was appended to part `index`, where it was `offset` long."""
        if index not in self._parts:
            self._texts.setdefault(index, _Text(offset)).pieces.append(text)

    def part(self, index: int) -> None:
        """Part `index` began, or is another one now."""
        self._texts.pop(index, None)
        self._parts.add(index)

    def failed(self) -> None:
        """What was taken may not have been saved: the next time all is."""
        self._all = True

    def take(self) -> Unsaved:
        """Returns what is to be saved now, and counts it as saved."""
        whole = tuple(Change(index=i, part=self._live.part(i)) for i in self._parts)
        texts = tuple(
            Change(index=i, offset=one.offset, text="".join(one.pieces))
            for i, one in self._texts.items()
        )
        self._parts, self._texts = set(), {}
        self._since += sum(_weight(change) for change in (*whole, *texts))
        if not self._all and self._since <= max(self._saved, WHOLE_FROM):
            changes = sorted((*whole, *texts), key=lambda change: change.index)
            return Growth(tuple(changes), len(self._live))
        parts = self._live.parts
        self._all, self._since = False, 0
        self._saved = sum(part_weight(part) for part in parts)
        return parts


def _weight(change: Change) -> int:
    return part_weight(change.part) if change.part is not None else 60 + utf16_length(change.text)
