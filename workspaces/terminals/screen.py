"""Screen: what stands on a terminal, computed by `avt` from what its programs said.

Bounded in time: a flood of lines is read from where it still shows, and a program that costs more
to draw than a fifth of a processor is drawn with gaps. Neither its modes are lost by that nor what
the browser keeps: only parts of what it drew before the bytes that are kept.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable

from avt import Vt  # type: ignore[attr-defined]  # its stub exports nothing by name

SHARE = 0.2
BURST_SECONDS = 0.05
MOST_CELLS = 120_000  # a wall of a screen in small type; a client may say that it is larger
_CELLS_AT_ONCE = 8_000_000  # cells times bytes: what a clearing of all costs, for every byte
_AT_ONCE = range(64, 4_096)

_LINES = bytes((*range(0x20, 0x7F), *range(0x80, 0x100), 0x09, 0x0A, 0x0D))
_STYLES = re.compile(rb"\x1b\[[0-9;:]*+[mK]")
_REGION = re.compile(rb"\x1b(?:\[([0-9;]*+)r|c|\[!p)")
# As many as 65,535 characters for 8 bytes.
_REPEATED = re.compile(rb"(?:\x1b\[|\xc2\x9b)[\x00-\x17\x19\x1c-\x3f\x7f]{4,}+b")
_C1_AS_ESCAPES = {code: f"\x1b{chr(code - 0x40)}" for code in range(0x80, 0xA0)}

logger = logging.getLogger(__name__)


class Screen:
    """The characters and colours of a terminal, both its screens, and where it writes next."""

    def __init__(
        self,
        cols: int,
        rows: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.thread_time,
    ) -> None:
        self._clock, self._spent = clock, spent
        self._left, self._looked = BURST_SECONDS, clock()
        self.size = _bounded(cols, rows)
        self._scrolls_whole = True
        self._vt = Vt(*self.size, 0)

    def resize(self, cols: int, rows: int) -> None:
        """Takes another size, as the terminal did."""
        size = _bounded(cols, rows)
        if size != self.size:
            self.size = size
            self._scrolls_whole = True
            self._vt.resize(*size)

    def draw(self, data: bytes) -> None:
        """Draws whole sequences and characters."""
        data = self._still_shown(data)
        for found in _REGION.finditer(data):
            self._scrolls_whole = found[1] is None or self._is_whole(found[1])
        cols, rows = self.size
        step = min(max(_CELLS_AT_ONCE // (cols * rows), _AT_ONCE.start), _AT_ONCE.stop)
        text = _REPEATED.sub(b"", data).decode(errors="replace")
        for at in range(0, len(text), step):
            if not self._may_go_on():
                return
            self._feed(text[at : at + step])

    def written(self) -> bytes:
        """Returns the bytes that draw it on a fresh terminal of its size."""
        dump = self._vt.dump().translate(_C1_AS_ESCAPES)
        # As programs switch to the second screen: what they leave it with restores the cursor.
        return dump.replace("\x1b7\x1b[m\x1b[?1047h", "\x1b[?1049h\x1b[m", 1).encode()

    def _still_shown(self, data: bytes) -> bytes:
        """Returns the end of a flood of lines: all else has scrolled away, but for its colours."""
        rows = self.size[1]
        if not self._scrolls_whole or data.count(b"\n") <= 2 * rows:
            return data
        if _STYLES.sub(b"", data).translate(None, _LINES):
            return data
        gone, *shown = data.rsplit(b"\n", rows + 1)
        if not gone.endswith(b"\r"):  # the next line begins where the last one ended
            return data
        return b"".join((*_STYLES.findall(gone), b"\n" * rows, b"\r", b"\n".join(shown)))

    def _is_whole(self, region: bytes) -> bool:
        top, _mark, bottom = region.partition(b";")
        rows = self.size[1]
        return int(top or b"1") <= 1 and not 0 < int(bottom or b"0") < rows

    def _may_go_on(self) -> bool:
        now = self._clock()
        self._left = min(BURST_SECONDS, self._left + (now - self._looked) * SHARE)
        self._looked = now
        return self._left > 0

    def _feed(self, text: str) -> None:
        began = self._spent()
        try:
            self._vt.feed_str(text)
        except BaseException as error:
            if type(error).__module__ != "pyo3_runtime":
                raise
            # What a program says must not end a server; so far no text is known that does this.
            logger.exception("a terminal's screen could not be drawn, and begins anew")
            self._vt = Vt(*self.size, 0)
        self._left -= self._spent() - began


def _bounded(cols: int, rows: int) -> tuple[int, int]:
    return cols, min(rows, max(1, MOST_CELLS // cols))
