"""LiveParts: the parts of an answer while it streams; mutable inside, immutable outside.

Appending is cheap however long the text has become; `parts` joins the pieces when somebody asks.
"""

from __future__ import annotations

from agents.domain.content.parts import (
    Part,
    PlanPart,
    ReplacedPart,
    StreamedPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    utf16_length,
)
from agents.domain.content.transcript import OutOfOrder


class _Growing:
    """A text or thought part and the pieces that came after it."""

    __slots__ = ("length", "part", "pieces")

    def __init__(self, part: StreamedPart) -> None:
        self.part = part
        self.pieces: list[str] = []
        self.length = utf16_length(part.text)

    def joined(self) -> StreamedPart:
        if self.pieces:
            text = self.part.text + "".join(self.pieces)
            self.part = self.part.model_copy(update={"text": text})
            self.pieces = []
        return self.part


class LiveParts:
    """Accumulates parts, and gives those that are replaced their revisions.

    Every method raises `OutOfOrder` for what cannot follow.
    """

    __slots__ = ("_items",)

    def __init__(self, parts: tuple[Part, ...] = ()) -> None:
        self._items: list[_Growing | ReplacedPart] = [_wrap(part) for part in parts]

    def __len__(self) -> int:
        return len(self._items)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts as they are now."""
        return tuple([one.joined() if isinstance(one, _Growing) else one for one in self._items])

    def part(self, index: int) -> Part:
        """The part `index` as it is now."""
        item = self._at(index)
        return item.joined() if isinstance(item, _Growing) else item

    def kind(self, index: int) -> type[Part]:
        """The class of part `index`."""
        item = self._at(index)
        return type(item.part) if isinstance(item, _Growing) else type(item)

    def offset(self, index: int) -> int:
        """How far part `index` has come: text length in UTF-16 units, or its revision."""
        item = self._at(index)
        return item.length if isinstance(item, _Growing) else item.rev

    def start(self, index: int, part: Part) -> None:
        """Begins part `index`, which must be the next one."""
        if index != len(self._items):
            raise OutOfOrder(f"part {index} started after {len(self._items)} parts")
        self._items.append(_wrap(part))

    def append(self, index: int, text: str) -> int:
        """Appends text to part `index`; returns the offset where it begins."""
        item = self._at(index)
        if not isinstance(item, _Growing):
            raise OutOfOrder(f"text for the {item.type} part {index}")
        offset = item.length
        item.pieces.append(text)
        item.length += utf16_length(text)
        return offset

    def extend(self, index: int, text: str, offset: int) -> None:
        """Appends what is not known yet of a text that begins at `offset` of part `index`."""
        known = self.offset(index)
        if offset > known:
            raise OutOfOrder(f"part {index} is at {known}, the text begins at {offset}")
        fresh = _without(text, known - offset)
        if fresh:
            self.append(index, fresh)

    def replace(self, index: int, part: Part) -> Part:
        """Replaces part `index` by one of its kind, revision growing; returns what stands.

        A text may turn out to have been a thought.
        """
        item = self._at(index)
        old: Part = item.part if isinstance(item, _Growing) else item
        was_thought = isinstance(old, TextPart) and isinstance(part, ThoughtPart)
        if type(old) is not type(part) and not was_thought:
            raise OutOfOrder(f"part {index} cannot become {part.type}")
        if isinstance(part, ToolPart | PlanPart) and isinstance(old, ToolPart | PlanPart):
            part = part.model_copy(update={"rev": max(part.rev, old.rev + 1)})
        self._items[index] = _wrap(part)
        return part

    def _at(self, index: int) -> _Growing | ReplacedPart:
        if not 0 <= index < len(self._items):
            raise OutOfOrder(f"no part {index} among {len(self._items)}")
        return self._items[index]


def _wrap(part: Part) -> _Growing | ReplacedPart:
    return _Growing(part) if isinstance(part, TextPart | ThoughtPart) else part


def _without(text: str, units: int) -> str:
    """Returns `text` without its first `units` UTF-16 code units."""
    if units <= 0 or text.isascii():
        return text[max(units, 0) :]
    raw = text.encode("utf-16-le", "surrogatepass")[units * 2 :]
    return raw.decode("utf-16-le", "surrogatepass")
