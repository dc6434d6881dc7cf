"""Line ends: which ones a text has, and how a changed part keeps those it had.

What models are shown has no ends, so what they send tells nothing of them: an edit is found with
all ends taken as one, and its new lines end as the lines do that they stand for or beside.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from agents.domain.content.changes import line_opcodes

CRLF, LF = "\r\n", "\n"


@dataclass(frozen=True, slots=True)
class LineEnds:
    """How many lines end in CRLF, in LF, and in a CR alone."""

    crlf: int
    lf: int
    cr: int

    @property
    def are_plain(self) -> bool:
        """All are LF."""
        return not self.crlf and not self.cr

    def __str__(self) -> str:
        counts = (("CRLF", self.crlf), ("LF", self.lf), ("CR", self.cr))
        some = [(name, count) for name, count in counts if count]
        if len(some) == 1:
            return some[0][0]
        return ", ".join(f"{count} {name}" for name, count in some)


def line_ends(text: str) -> LineEnds:
    """Counts the line ends of a text."""
    crlf = text.count(CRLF)
    return LineEnds(crlf, text.count(LF) - crlf, text.count("\r") - crlf)


def plain(text: str) -> str:
    """Returns the text with LF for CRLF; a CR alone stays."""
    return text.replace(CRLF, LF)


class PlainView:
    """A text as if all its lines ended in LF, and where a place in it is in the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.plain = plain(text)
        self._crlf: list[int] = []  # where the CR of each CRLF would stand in the plain text
        at = text.find(CRLF)
        while at >= 0:
            self._crlf.append(at - len(self._crlf))
            at = text.find(CRLF, at + 2)

    def place(self, at: int) -> int:
        """Returns where in the text a place of the plain text is, before its line's end."""
        return at + bisect_left(self._crlf, at)

    def replaced(self, start: int, end: int, new: str) -> str:
        """Returns `new` with the line ends it needs in place of the text from `start` to `end`."""
        old, wanted = self._text[start:end], plain(new)
        around = self._end_near(start, end)
        if not around:  # a text of one line: there is no end to keep
            return new
        ends = _ends(old)
        if len(set(ends) | {around}) == 1:
            return wanted.replace(LF, around)
        return _each_as_it_was(old, ends, wanted, around)

    def _end_near(self, start: int, end: int) -> str:
        """Returns the end of the line a part stands in, or of the last one before; "" if none."""
        text = self._text
        for at in (text.find(LF, end), text.rfind(LF, 0, end)):
            if at >= 0:
                return CRLF if text[at - 1 : at] == "\r" else LF
        return ""


def _ends(text: str) -> list[str]:
    return [CRLF if line.endswith("\r") else LF for line in text.split(LF)[:-1]]


def _each_as_it_was(old: str, ends: list[str], new: str, around: str) -> str:
    """Lines that stay keep their ends, those in place of others get theirs, new ones are as the
    line above.
    """
    before, after = plain(old).split(LF), new.split(LF)
    ends = [*ends, around]  # the last line ends outside
    result: list[str] = []
    for _tag, i1, i2, j1, j2 in line_opcodes(before, after):
        for step in range(j2 - j1):
            old_at = min(i1 + step, i2 - 1) if i2 > i1 else max(i1 - 1, 0)
            result += [after[j1 + step], ends[old_at]]
    return "".join(result[:-1])
