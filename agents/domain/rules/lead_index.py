"""LeadIndex: patterns by the levels that they write out, so that few are compared with a path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from workspaces.domain.globs import PathGlob, Segment, path_levels, segment_tokens


@dataclass(slots=True)
class LeadIndex:
    """A tree of names. `here`: the numbers of patterns whose written levels end at this node."""

    here: list[int] = field(default_factory=list)
    below: dict[str, LeadIndex] = field(default_factory=dict)

    def add(self, number: int, glob: PathGlob) -> None:
        """Files a pattern under what each of its alternatives begins with."""
        for levels in glob.alternatives:
            node = self
            for level in takewhile(_is_written, levels):
                node = node.below.setdefault(level[0], LeadIndex())
            node.here.append(number)

    def covering(self, path: str) -> set[int]:
        """Returns the patterns that may cover a path, and perhaps others; never too few."""
        found: set[int] = set()
        for node in self._walk(path_levels(path)):
            found.update(node.here)
        return found

    def reaching(self, folder: str) -> set[int]:
        """Returns the patterns that may be about something in a folder, as above."""
        levels = path_levels(folder)
        walked = list(self._walk(levels))
        found = {number for node in walked for number in node.here}
        if len(walked) == len(levels) + 1:
            found.update(walked[-1]._all())  # of its own kind
        return found

    def _walk(self, levels: Sequence[str]) -> Iterator[LeadIndex]:
        """Yields the nodes on the way to a path, as far as there are any."""
        node: LeadIndex | None = self
        yield self
        for level in levels:
            node = node.below.get(level) if node is not None else None
            if node is None:
                return
            yield node

    def _all(self) -> Iterator[int]:
        todo = [self]
        while todo:
            node = todo.pop()
            yield from node.here
            todo.extend(node.below.values())


def _is_written(level: Segment) -> bool:
    """Says whether a level is one name, without braces and wildcards."""
    return len(level) == 1 and segment_tokens(level[0]) is None
