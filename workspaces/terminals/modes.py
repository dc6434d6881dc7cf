"""Modes: what programs switched on in a terminal, read from all that it said.

Only what a screen alone does not show: how keys, the mouse and pastes are reported, the look of the
cursor, colours that were defined anew, the title. Every ESC begins a sequence, whatever came before
(xterm, "Control Sequences"; ECMA-48): so one search finds them, and nothing else is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LONGEST_PARAMETERS = 256
LONGEST_TEXT = 512
LONGEST_UNFINISHED = 1_024
MOST_COLOURS = 256
MOST_MODES = 64

_MOUSE = frozenset({9, 1000, 1002, 1003})
_MOUSE_FORMS = frozenset({1005, 1006, 1015, 1016})
_ON_AT_FIRST = frozenset({25})
# What the screen knows itself, what saves or clears, and a drawing that has begun.
_NOT_HERE = frozenset({3, 6, 7, 47, 66, 1047, 1048, 1049, 2026})
_OF_SOFT_RESET = frozenset({1, 12, 25, 45, 1004, 2004})

_ANY = rb"[\x00-\x17\x19\x1c-\x3f]*+"  # of a control sequence; CAN, SUB and ESC end it
_TEXT = rb"[^\x07\x18\x1a\x1b]*+"
_SEQUENCE = re.compile(
    rb"\x1b(?:(?P<single>[c=>])"
    rb"|\[(?P<parameters>" + _ANY + rb")(?P<final>[hlpq])"
    rb"|\](?P<text>" + _TEXT + rb")(?=[\x07\x1b]|\Z))"
)
_UNFINISHED = re.compile(
    rb"\x1b(?:\[" + _ANY + rb"|\]" + _TEXT + rb"|[PX^_][^\x18\x1a\x1b]*+|[\x20-\x2f]*+)"
)
_CURSORS = frozenset(b"%b " % shape for shape in (b"", *(b"%d" % number for number in range(7))))
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_CONTROLS = bytes(range(0x20))


class Modes:
    """Follows the modes of a terminal through all that its programs say.

    What is cut between two reads is put together again, so that how a stream came makes no
    difference.
    """

    def __init__(self) -> None:
        self._private: dict[int, bool] = {}  # those not as at first, in the order they came
        self._keypad = False
        self._cursor = b""
        self._texts: dict[bytes, bytes] = {}  # title and colours, by what names them
        self._rest = b""

    @property
    def unfinished(self) -> bytes:
        """The sequence or character that has not ended yet."""
        return self._rest

    def read(self, data: bytes) -> bytes:
        """Reads on; returns what is complete by now, for whoever draws it."""
        data = self._rest + data
        end = _complete(data)
        # The middle of one that is longer than any that counts is forgotten: it counts no more.
        self._rest, data = data[end:][:LONGEST_UNFINISHED], data[:end]
        if b"\x1b" in data:
            for found in _SEQUENCE.finditer(data):
                self._take(found)
        return data

    def written(self) -> bytes:
        """Returns the bytes that switch a fresh terminal to these modes."""
        return b"".join(
            (
                *(b"\x1b[?%d%c" % (mode, b"lh"[on]) for mode, on in self._private.items()),
                b"\x1b=" if self._keypad else b"",
                self._cursor,
                *(b"\x1b]%b;%b\x07" % (name, text) for name, text in self._texts.items()),
            )
        )

    def _take(self, found: re.Match[bytes]) -> None:
        single, parameters, final, text = found.groups()
        if text is not None:
            self._told(text)
        elif parameters is not None:
            if len(parameters) <= LONGEST_PARAMETERS:
                self._controlled(parameters.translate(None, _CONTROLS), final)
        elif single == b"c":
            self._reset()
        else:
            self._keypad = single == b"="

    def _controlled(self, parameters: bytes, final: bytes) -> None:
        if final in b"hl" and parameters[:1] == b"?":
            for one in parameters[1:].split(b";"):
                if one.isdigit():
                    self._switch(int(one), on=final == b"h")
        elif final == b"p" and parameters == b"!":
            self._soft_reset()
        elif final == b"q" and parameters in _CURSORS:
            self._cursor = b"\x1b[%bq" % parameters

    def _switch(self, mode: int, *, on: bool) -> None:
        if mode == 66:  # the keypad, by its other name
            self._keypad = on
        if mode in _NOT_HERE:
            return
        for group in (_MOUSE, _MOUSE_FORMS):  # one of them at most; what is off, is off for all
            if mode in group:
                self._forget(group)
        self._forget((mode,))
        if on != (mode in _ON_AT_FIRST) and len(self._private) < MOST_MODES:
            self._private[mode] = on

    def _forget(self, modes: Iterable[int]) -> None:
        for mode in modes:
            self._private.pop(mode, None)

    def _soft_reset(self) -> None:
        self._forget(_OF_SOFT_RESET)
        self._keypad, self._cursor = False, b""

    def _reset(self) -> None:
        title = self._texts.get(b"2")
        self._private, self._keypad, self._cursor, self._texts = {}, False, b"", {}
        if title is not None:
            self._texts[b"2"] = title

    def _told(self, text: bytes) -> None:
        """An operating system command: what it names, what it says."""
        if len(text) > LONGEST_TEXT or _C1.search(text):
            return
        name, _mark, value = text.translate(None, _CONTROLS).partition(b";")
        if name in (b"0", b"2"):
            self._texts[b"2"] = value
        elif name == b"4":
            numbers, colours = value.split(b";")[::2], value.split(b";")[1::2]
            for number, colour in zip(numbers, colours, strict=False):
                self._colour(b"4;%b" % number, colour)
        elif name in (b"10", b"11", b"12"):  # one that is not named belongs to the next
            for which, colour in enumerate(value.split(b";")[: 13 - int(name)], int(name)):
                self._colour(b"%d" % which, colour)
        elif name == b"104":
            self._as_at_first([b"4;%b" % one for one in value.split(b";") if one])
        elif name in (b"110", b"111", b"112"):
            self._texts.pop(b"1" + name[2:], None)

    def _as_at_first(self, colours: Sequence[bytes]) -> None:
        """Forgets colours of the palette, without names all of them."""
        for one in colours or [name for name in self._texts if name.startswith(b"4;")]:
            self._texts.pop(one, None)

    def _colour(self, name: bytes, colour: bytes) -> None:
        """Keeps a colour that was defined anew; a question about one defines nothing."""
        number = name.rpartition(b";")[2]
        known = len(self._texts) < MOST_COLOURS or name in self._texts
        if colour and colour != b"?" and number.isdigit() and len(number) <= 3 and known:
            self._texts[name] = colour


def _complete(data: bytes) -> int:
    """Returns where `data` ends without what may go on: a sequence, a character."""
    begins = data.rfind(b"\x1b")
    if begins >= 0 and _UNFINISHED.fullmatch(data, begins):
        return begins
    return _whole_characters(data)


def _whole_characters(data: bytes) -> int:
    """Returns where `data` ends without the beginning of a character of UTF-8."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4
        return len(data) - back if byte >= 0xC0 and length > back else len(data)
    return len(data)
