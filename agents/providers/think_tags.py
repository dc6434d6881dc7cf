"""Think tags: tells `<think>…</think>` at the start of an answer from the answer itself.

Many chat templates write the opening tag themselves, so that only the closing one arrives: what
was said until then was thought, and is known as such only now.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["text", "thought", "was-thought"]
Piece = tuple[Kind, str]
"""A piece of text or of thought; "was-thought" (with "") tells that all text so far was thought."""

OPENING, CLOSING = "<think>", "</think>"
LONGEST_THOUGHT = 1_000_000
"""Characters of text after which a closing tag without an opening one is text."""
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ")", "。", "！", "？", "：", "）")
_QUOTES = "`'\"“”‘’«»"


class ThinkSplitter:
    """Feeds on the content as it streams; gives pieces of thought and of text."""

    def __init__(self) -> None:
        self._state: Literal["start", "inside", "after", "plain", "watched"] = "start"
        self._held = ""
        self._said: list[str] = []
        self._length = 0

    def feed(self, text: str) -> list[Piece]:
        """Returns the pieces that are certain now; a possible half tag is held back."""
        if self._state == "plain":
            return [("text", text)] if text else []
        if self._state == "watched" and not self._held and "<" not in text:
            self._note(text)  # the hot path: each token passes here
            return [("text", text)] if text else []
        self._held += text
        pieces: list[Piece] = []
        if self._state == "start":
            self._start()
        if self._state == "inside":
            self._inside(pieces)
        if self._state == "watched":
            self._watch(pieces)
        if self._state in {"after", "plain"}:
            self._answer(pieces)
        return [piece for piece in pieces if piece[1] or piece[0] == "was-thought"]

    def finish(self) -> list[Piece]:
        """Returns what was held back in vain."""
        pieces: list[Piece] = []
        if self._state == "watched":
            self._watch(pieces, over=True)
        held, self._held = self._held, ""
        if held and self._state != "after":
            pieces.append(("thought" if self._state == "inside" else "text", held))
        return [piece for piece in pieces if piece[1] or piece[0] == "was-thought"]

    def _start(self) -> None:
        beginning = self._held.lstrip()
        if beginning.startswith(OPENING):
            self._state = "inside"
            self._held = beginning[len(OPENING) :]
        elif not OPENING.startswith(beginning):
            self._state = "watched"

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

    def _watch(self, pieces: list[Piece], *, over: bool = False) -> None:
        """Looks for a closing tag whose opening one never came."""
        while True:
            text, closing, rest = self._held.partition(CLOSING)
            if closing and not rest and not over:
                self._say(pieces, text)
                self._held = CLOSING
                return
            if not closing:
                kept = 0 if over else _half_tag(text)
                self._held = text[len(text) - kept :] if kept else ""
                self._say(pieces, text[: len(text) - kept])
                return
            self._say(pieces, text)
            if _ends_thought("".join(self._said), rest):
                pieces.append(("was-thought", ""))
                self._state, self._held, self._said = "after", rest, []
                return
            self._say(pieces, CLOSING)
            self._held = rest

    def _say(self, pieces: list[Piece], text: str) -> None:
        pieces.append(("text", text))
        self._note(text)

    def _note(self, text: str) -> None:
        self._said.append(text)
        self._length += len(text)
        if self._length > LONGEST_THOUGHT:
            self._state, self._said = "plain", []

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


def _ends_thought(before: str, after: str) -> bool:
    """Whether a closing tag between the two ends a thought, and is not spoken of or quoted."""
    line = before[before.rfind("\n") + 1 :]
    if OPENING in before or before.count("```") % 2 or line.count("`") % 2:
        return False
    if not line.strip():
        return True
    if line[-1] in _QUOTES and (after[:1] in _QUOTES or line.count(line[-1]) % 2):
        return False
    if after[:1] in {"\n", "\r"} or line.rstrip().endswith(_SENTENCE_ENDS):
        return True
    if line[-1].isspace():
        return False
    return after[:1].isalnum() or (after != "" and line[-1].isalnum())


def _half_tag(text: str) -> int:
    """Returns how many of the last characters may begin the closing tag."""
    longest = min(len(text), len(CLOSING) - 1)
    return next((size for size in range(longest, 0, -1) if CLOSING.startswith(text[-size:])), 0)
