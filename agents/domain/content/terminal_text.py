"""Terminal text: what a terminal would show at the end of what a program wrote.

A progress bar writes a thousand states over each other, and colours are codes between the letters:
a model would read, and pay for, all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category, east_asian_width

ROWS, COLUMNS = 24, 80
"""The screen that cursor movements stay in; lines that are written may be longer."""
WIDEST = 1_000
"""Cells after which a line goes on in the next row, as at the edge of a terminal: what erases a
line over and over then costs no more than this each time."""
_FULL_SCREEN = ("?1049", "?1047", "?47")
_SAME = {"f": "H", "`": "G", "a": "C", "e": "B"}
"""Commands of another name that do the same."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0d-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    r"(?:\x1b\[|\x9b)(?P<numbers>[0-?]*)[ -/]*(?:(?P<final>[@-~])|\Z)"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links and their kind
    r"|\x1b(?P<short>[78DEM])"
    r"|\x1b[ -/]*[0-~]?"
    r"|(?P<move>\r+\n?|[\n\x08])"
    r"|[\x00-\x07\x0b\x0e-\x1f\x7f-\x9f]"
    r"|(?P<text>[^\x00-\x08\x0a\x0b\x0d-\x1f\x7f-\x9f]+)"
)


@dataclass(frozen=True, slots=True)
class Shown:
    """`text` is what stays; `overwritten`: how many characters were written over or erased."""

    text: str
    overwritten: int = 0


def at_the_end(output: str) -> Shown:
    """Returns what a terminal shows of an output once it is over, without its colours.

    Takes time in proportion to its length.
    """
    if not _CONTROL.search(output):
        return Shown(output)
    screen = _Screen()
    for token in _TOKEN.finditer(output):
        if token["text"]:
            screen.write(token["text"])
        elif token["move"]:
            screen.move(token["move"])
        elif token["final"]:
            screen.command(token["final"], token["numbers"])
        elif token["short"]:
            screen.escape(token["short"])
    return Shown(screen.text(), screen.overwritten)


class _Screen:
    """Lines of cells: one character each with its accents, "" behind one that is two wide."""

    def __init__(self) -> None:
        self.overwritten = 0
        self._lines: list[list[str]] = [[]]
        self._changed: set[int] = set()
        self._goes_on: set[int] = set()  # rows whose line goes on in the next
        self._row = self._column = 0
        self._saved = 0, 0
        self._main: tuple[list[list[str]], set[int], int, int] | None = None

    def text(self) -> str:
        self._leave()
        return "".join(self._shown(row) for row in range(len(self._lines)))

    def _shown(self, row: int) -> str:
        line = "".join(self._lines[row])
        if row in self._goes_on:
            return line
        end = "\n" if row + 1 < len(self._lines) else ""
        return (line.rstrip() if row in self._changed else line) + end

    def write(self, text: str) -> None:
        cells = list(text) if text.isascii() else _cells(text)
        while (room := WIDEST - self._column) < len(cells):
            room = max(room, 0)
            self._put(cells[:room])
            self._goes_on.add(self._row)
            self._next_row()
            cells = cells[room:]
        self._put(cells)

    def _put(self, cells: list[str]) -> None:
        line, at = self._lines[self._row], self._column
        if at == len(line):
            line += cells
        else:
            line += [" "] * (at - len(line))
            self._gone(at, at + len(cells))
            line[at : at + len(cells)] = cells
        self._column = at + len(cells)

    def move(self, sign: str) -> None:
        if sign == "\x08":
            self._column = max(self._column - 1, 0)
        elif not sign.endswith("\n"):
            self._column = 0
        else:
            self._next_row()

    def _next_row(self) -> None:
        self._row, self._column = self._row + 1, 0
        if self._row == len(self._lines):
            self._lines.append([])

    def escape(self, sign: str) -> None:
        """Keeps the cursor's place (7), goes back to it (8), or moves by a line (D, E, M)."""
        match sign:
            case "7":
                self._saved = self._row, self._column
            case "8":
                self._to(*self._saved)
            case "M":
                self._to(self._row - 1, self._column)
            case _:
                column = self._column
                self._next_row()
                self._column = column if sign == "D" else 0

    def command(self, final: str, numbers: str) -> None:
        first, second = _numbers(numbers)
        count, row, column = first or 1, self._row, self._column
        places = {
            "A": (row - count, column),
            "B": (row + count, column),
            "C": (row, column + count),
            "D": (row, column - count),
            "E": (row + count, 0),
            "F": (row - count, 0),
            "G": (row, count - 1),
            "H": (self._top() + count - 1, (second or 1) - 1),
            "d": (self._top() + count - 1, column),
        }
        final = _SAME.get(final, final)
        if final in places:
            self._to(*places[final])
        elif final in "su" and not numbers:
            self.escape("7" if final == "s" else "8")
        elif final in "KJPX":
            self._erase(final, first)
        elif final in "hl" and numbers in _FULL_SCREEN:
            self._leave()
            if final == "h":
                self._main = self._lines, self._goes_on, row, column
                self._lines, self._goes_on, self._row, self._column = [[]], set(), 0, 0

    def _erase(self, final: str, first: int) -> None:
        end = self._column + (first or 1)
        match final:
            case "K":
                self._erase_in_line(first)
            case "J":
                self._erase_in_screen(first)
            case "P":
                self._gone(self._column, end)
                self._shorten(self._row, self._column, end)
            case _:
                self._blank(self._row, self._column, end)

    def _leave(self) -> None:
        """Goes back from the screen of a full-screen program, if it is one: nothing of it stays."""
        if self._main is None:
            return
        self.overwritten += sum(len(line) for line in self._lines)
        (self._lines, self._goes_on, self._row, self._column), self._main = self._main, None

    def _top(self) -> int:
        return max(0, len(self._lines) - ROWS)

    def _to(self, row: int, column: int) -> None:
        row = max(self._top(), min(row, self._top() + ROWS - 1))
        while row >= len(self._lines):
            self._lines.append([])
        most = max(COLUMNS, len(self._lines[row])) - 1
        self._row, self._column = row, max(0, min(column, max(most, self._column)))

    def _erase_in_line(self, which: int) -> None:
        line = self._lines[self._row]
        start = self._column if which == 0 else 0
        end = self._column + 1 if which == 1 else len(line)
        if end < len(line):
            self._blank(self._row, start, end)
        else:
            self._gone(start, len(line))
            self._shorten(self._row, start, end)

    def _erase_in_screen(self, which: int) -> None:
        if which == 3:
            return
        if which == 0:
            self._erase_in_line(0)
        rows = {0: (self._row + 1, len(self._lines)), 1: (self._top(), self._row)}
        for row in range(*rows.get(which, (self._top(), len(self._lines)))):
            if self._lines[row]:
                self._blank(row, 0, len(self._lines[row]))
                self._shorten(row, 0, WIDEST)

    def _blank(self, row: int, start: int, end: int) -> None:
        line = self._lines[row]
        end = min(end, len(line))
        self.overwritten += sum(cell.strip() != "" for cell in line[start:end])
        self._changed.add(row)
        line[start:end] = [" "] * max(end - start, 0)

    def _shorten(self, row: int, start: int, end: int) -> None:
        del self._lines[row][start:end]
        self._goes_on.discard(row)

    def _gone(self, start: int, end: int) -> None:
        """Counts what is about to go, and makes a space of half of a wide character."""
        line = self._lines[self._row]
        if start < len(line):
            self.overwritten += sum(cell.strip() != "" for cell in line[start:end])
            self._changed.add(self._row)
            if start and line[start] == "":
                line[start - 1] = " "
            if end < len(line) and line[end] == "":
                line[end] = " "


def _numbers(text: str) -> tuple[int, int]:
    parts = [int(part[-6:]) if part.isdecimal() else 0 for part in text.split(";")[:2]]
    return parts[0], parts[1] if len(parts) > 1 else 0


def _cells(text: str) -> list[str]:
    cells: list[str] = []
    for character in text:
        if cells and category(character) in ("Mn", "Me", "Cf"):
            cells[-1 if cells[-1] or len(cells) == 1 else -2] += character
        elif east_asian_width(character) in "WF":
            cells += [character, ""]
        else:
            cells.append(character)
    return cells
