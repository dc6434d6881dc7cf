"""WildcardIndex: wildcards by what they begin or end with, so that few are compared with a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Generic, TypeVar

from agents.domain.shell.patterns import Wildcard

Item = TypeVar("Item")


class WildcardIndex(Generic[Item]):
    """What wildcards stand for. Those without `*` are looked up, those around a text compared.

    A wildcard is kept by its longer end, the text before its first `*` or after its last.
    """

    __slots__ = ("_exact", "_heads", "_longest_tail", "_tails")

    def __init__(self, patterns: Iterable[tuple[Wildcard, Item]]) -> None:
        self._exact: dict[str, list[Item]] = {}
        heads: dict[str, list[tuple[Wildcard, Item]]] = {}
        tails: dict[str, list[tuple[Wildcard, Item]]] = {}
        for wildcard, item in patterns:
            first, last = wildcard.pieces[0], wildcard.pieces[-1]
            if len(wildcard.pieces) == 1:
                self._exact.setdefault(first, []).append(item)
            elif len(first) >= len(last):
                heads.setdefault(first, []).append((wildcard, item))
            else:
                tails.setdefault(last[::-1], []).append((wildcard, item))
        self._heads, self._tails = _Beginnings(heads), _Beginnings(tails)
        self._longest_tail = max(map(len, tails), default=0)

    def matching(self, text: str) -> Iterator[Item]:
        """Yields what the wildcards that fit the whole of `text` stand for, in no order."""
        yield from self._exact.get(text, ())
        reversed_end = text[: -self._longest_tail - 1 : -1]
        for wildcard, item in chain(self._heads.of(text), self._tails.of(reversed_end)):
            if wildcard.matches(text):
                yield item


class _Beginnings(Generic[Item]):
    """Items by texts, for all of those that another text begins with.

    `_inner`: for each of the sorted texts, the place of the longest other that it begins with.
    What a text begins with is its neighbour in this order, or what that begins with, in turn.
    """

    __slots__ = ("_inner", "_items", "_texts")

    def __init__(self, items: Mapping[str, list[Item]]) -> None:
        self._texts = sorted(items)
        self._items = [items[text] for text in self._texts]
        self._inner: list[int] = []
        nested: list[int] = []
        for at, text in enumerate(self._texts):
            while nested and not text.startswith(self._texts[nested[-1]]):
                nested.pop()
            self._inner.append(nested[-1] if nested else -1)
            nested.append(at)

    def of(self, text: str) -> Iterator[Item]:
        """Yields the items of each text that `text` begins with, of the longest first."""
        at = bisect_right(self._texts, text) - 1
        while at >= 0:
            if text.startswith(self._texts[at]):
                yield from self._items[at]
            at = self._inner[at]
