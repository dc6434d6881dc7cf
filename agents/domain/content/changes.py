"""Change: what differs between two texts, as a diff with line numbers (seed T)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from agents.domain.content.parts import Diff
from agents.domain.content.shorten import shorten

CONTEXT = 3
MAX_MATCHES = 1_000_000
"""Pairs of equal lines that difflib may look at; beyond, all counts as replaced as a whole."""
MAX_DIFF_TEXT = 100_000

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """Lines added and removed, the first line that changed (from 1), and the diff."""

    added: int
    removed: int
    first_line: int
    diff: str


def lines_of(text: str) -> list[str]:
    """Returns the lines with their ends; only "\\n" ends a line, as editors count."""
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def describe_change(old: str, new: str) -> Change:
    """Returns what changed; takes a second at most, on texts that differ everywhere."""
    before, after = lines_of(old), lines_of(new)
    codes = line_opcodes(before, after)
    changed = [code for code in codes if code[0] != "equal"]
    return Change(
        added=sum(code[4] - code[3] for code in changed),
        removed=sum(code[2] - code[1] for code in changed),
        first_line=changed[0][3] + 1 if changed else 0,
        diff="\n".join(_rendered(codes, before, after)),
    )


def extent(diff: Diff) -> tuple[int, int]:
    """Returns about how many lines a diff adds and removes: all between the first and the last."""
    before, after = lines_of(diff.old_text), lines_of(diff.new_text)
    head, tail = _common(before, after)
    return len(after) - head - tail, len(before) - head - tail


def shown_diff(path: str, old: str, new: str, *, new_file: bool = False) -> Diff:
    """Returns the diff for people; of very long texts only what is around the change."""
    if len(old) + len(new) > MAX_DIFF_TEXT:
        before, after = lines_of(old), lines_of(new)
        head, tail = _common(before, after)
        head, tail = max(0, head - 20), max(0, tail - 20)
        old = shorten("".join(before[head : len(before) - tail]), MAX_DIFF_TEXT)
        new = shorten("".join(after[head : len(after) - tail]), MAX_DIFF_TEXT)
    return Diff(path=path, old_text=old, new_text=new, new_file=new_file)


def _common(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Returns how many lines are the same at the beginning and, of the rest, at the end."""
    most = min(len(before), len(after))
    head = next((n for n in range(most) if before[n] != after[n]), most)
    most -= head
    tail = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return head, tail


def line_opcodes(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """Returns what became of which lines, as difflib says it; takes a second at most."""
    head, tail = _common(before, after)
    old_end, new_end = len(before) - tail, len(after) - tail
    codes: list[Opcode] = []
    if head:
        codes.append(("equal", 0, head, 0, head))
    if _matches(before[head:old_end], after[head:new_end]) > MAX_MATCHES:
        codes.append(("replace", head, old_end, head, new_end))
    else:
        matcher = SequenceMatcher(None, before[head:old_end], after[head:new_end])
        codes += [
            (tag, i1 + head, i2 + head, j1 + head, j2 + head)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    if tail:
        codes.append(("equal", old_end, len(before), new_end, len(after)))
    return codes


def _matches(before: Sequence[str], after: Sequence[str]) -> int:
    """Counts the pairs of equal lines, without those that difflib leaves out as too common."""
    old, new = Counter(before), Counter(after)
    common = len(after) // 100 + 1 if len(after) >= 200 else len(after)
    return sum(count * old[line] for line, count in new.items() if count <= common)


class _Known(SequenceMatcher[str]):
    """Groups opcodes that are already known."""

    def __init__(self, codes: list[Opcode]) -> None:
        super().__init__()
        self._codes = codes

    def get_opcodes(self) -> list[Opcode]:
        return self._codes


def _rendered(codes: list[Opcode], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for hunk in _Known(codes).get_grouped_opcodes(CONTEXT):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = hunk[0], hunk[-1]
        yield f"@@ -{i1 + 1},{i2 - i1} +{j1 + 1},{j2 - j1} @@"
        for tag, a1, a2, b1, b2 in hunk:
            if tag == "equal":
                yield from _numbered(" ", after, b1, b2)
            else:
                yield from _numbered("-", before, a1, a2)
                yield from _numbered("+", after, b1, b2)


def _numbered(sign: str, lines: Sequence[str], start: int, end: int) -> Iterator[str]:
    for number in range(start, end):
        line = lines[number]
        yield f"{sign}{number + 1:>6}\t{line.removesuffix(chr(10)).removesuffix(chr(13))}"
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"
