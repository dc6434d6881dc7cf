"""Think tags: tells `<think>…</think>` at the start of an answer from the answer itself."""

from __future__ import annotations

from typing import Literal

Kind = Literal["text", "thought"]
Piece = tuple[Kind, str]

OPENING, CLOSING = "<think>", "</think>"


class ThinkSplitter:
    """Feeds on the content as it streams; gives pieces of thought and of text."""

    def __init__(self) -> None:
        self._state: Literal["start", "inside", "after", "plain"] = "start"
        self._held = ""

    def feed(self, text: str) -> list[Piece]:
        """Returns the pieces that are certain now; a possible half tag is held back."""
        if self._state == "plain":
            return [("text", text)] if text else []
        self._held += text
        pieces: list[Piece] = []
        if self._state == "start":
            self._start()
        if self._state == "inside":
            self._inside(pieces)
        if self._state in {"after", "plain"}:
            self._answer(pieces)
        return [piece for piece in pieces if piece[1]]

    def finish(self) -> list[Piece]:
        """Returns what was held back in vain."""
        held, self._held = self._held, ""
        kind: Kind = "thought" if self._state == "inside" else "text"
        return [(kind, held)] if held and self._state != "after" else []

    def _start(self) -> None:
        beginning = self._held.lstrip()
        if beginning.startswith(OPENING):
            self._state = "inside"
            self._held = beginning[len(OPENING) :]
        elif not OPENING.startswith(beginning):
            self._state = "plain"

    def _inside(self, pieces: list[Piece]) -> None:
        thought, closing, rest = self._held.partition(CLOSING)
        if closing:
            self._state = "after"
        else:
            kept = _half_tag(thought)
            rest = thought[len(thought) - kept :] if kept else ""
            thought = thought[: len(thought) - kept]
        self._held = rest
        pieces.append(("thought", thought))

    def _answer(self, pieces: list[Piece]) -> None:
        text = self._held
        if self._state == "after":
            text = text.lstrip()
            if not text:
                self._held = ""
                return
        self._state = "plain"
        self._held = ""
        pieces.append(("text", text))


def _half_tag(text: str) -> int:
    """Returns how many of the last characters may begin the closing tag."""
    longest = min(len(text), len(CLOSING) - 1)
    return next((size for size in range(longest, 0, -1) if CLOSING.startswith(text[-size:])), 0)
