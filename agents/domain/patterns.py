"""Wildcard and PathGlob: linear matchers for rule patterns; never a backtracking regex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_ALTERNATIVES = 64


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Text in which `*` stands for any run of characters (seed M §9.3)."""

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, text: str, star: str = "*") -> Wildcard:
        """Compiles `text`."""
        return cls(tuple(text.split(star)))

    def matches(self, text: str) -> bool:
        """Says whether the whole of `text` fits."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            return text == first
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return False
        for piece in self.pieces[1:-1]:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True

    def may_meet(self, other: Wildcard) -> bool:
        """False only if no text fits both (it may say True too often, never too rarely)."""
        if len(self.pieces) == 1:
            return other.matches(self.pieces[0])
        if len(other.pieces) == 1:
            return self.matches(other.pieces[0])
        heads = (self.pieces[0], other.pieces[0])
        tails = (self.pieces[-1], other.pieces[-1])
        return (heads[0].startswith(heads[1]) or heads[1].startswith(heads[0])) and (
            tails[0].endswith(tails[1]) or tails[1].endswith(tails[0])
        )


@dataclass(frozen=True, slots=True)
class PathGlob:
    """A path pattern: `*` within one level, `**` any number of levels, `?`, `[a-z]`, `{a,b}`."""

    alternatives: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, pattern: str) -> PathGlob:
        """Compiles `pattern`; "." and empty segments vanish."""
        return cls(tuple(_segments(text) for text in _expand_braces(pattern)))

    def matches(self, path: str) -> bool:
        """Says whether `path`, already normalised, fits."""
        parts = _segments(path)
        return any(_fits(segments, parts) for segments in self.alternatives)

    def may_be_below(self, folder: str) -> bool:
        """Says whether something inside `folder` could fit."""
        parts = _segments(folder)
        return any(_reaches(segments, parts) for segments in self.alternatives)


def _segments(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("/") if part not in ("", "."))


def _expand_braces(pattern: str) -> list[str]:
    """Writes out `{a,b}`; what has too many alternatives stays as it is written."""
    todo, done = [pattern], []
    while todo:
        text = todo.pop()
        alternatives = _first_braces(text)
        if not alternatives:
            done.append(text)
        else:
            todo.extend(alternatives)
        if len(todo) + len(done) > MAX_ALTERNATIVES:
            return [pattern]
    return done


def _first_braces(text: str) -> list[str]:
    """Returns `text` once for each alternative of its innermost first `{…,…}`."""
    close = text.find("}")
    while close >= 0:
        start = text.rfind("{", 0, close)
        inner = text[start + 1 : close]
        if start >= 0 and "," in inner and text[start - 1 : start] != "\\":
            return [text[:start] + choice + text[close + 1 :] for choice in inner.split(",")]
        close = text.find("}", close + 1)
    return []


def _fits(segments: Sequence[str], parts: Sequence[str]) -> bool:
    """Greedy matching with one way back, to the last `**`: never exponential."""
    at = position = 0
    back: tuple[int, int] | None = None
    while position < len(parts):
        if at < len(segments) and segments[at] == "**":
            back = (at + 1, position)
            at += 1
        elif at < len(segments) and segment_matches(segments[at], parts[position]):
            at, position = at + 1, position + 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            at, position = back
        else:
            return False
    return all(segment == "**" for segment in segments[at:])


def _reaches(segments: Sequence[str], parts: Sequence[str]) -> bool:
    for segment, part in zip(segments, parts, strict=False):
        if segment == "**":
            return True
        if not segment_matches(segment, part):
            return False
    return len(segments) > len(parts)


def segment_matches(pattern: str, text: str) -> bool:
    """Matches one level: `*`, `?`, `[…]` and `\\x`."""
    tokens = segment_tokens(pattern)
    if tokens is None:
        return pattern == text
    at = position = 0
    back: tuple[int, int] | None = None
    while position < len(text):
        if at < len(tokens) and tokens[at] == "*":
            back = (at + 1, position)
            at += 1
        elif at < len(tokens) and _token_matches(tokens[at], text[position]):
            at, position = at + 1, position + 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            at, position = back
        else:
            return False
    return set(tokens[at:]) <= {"*"}


@lru_cache(maxsize=4096)
def segment_tokens(pattern: str) -> tuple[str, ...] | None:
    """Splits a segment into `*`, `?`, `[…]` and `\\x` for a plain character; None: no wildcard."""
    if not any(char in pattern for char in "*?[\\"):
        return None
    tokens: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        close = pattern.find("]", at + 2) if char == "[" else -1
        if char in "*?":
            tokens.append(char)
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            tokens.append("\\" + pattern[at])
        elif close > 0:
            tokens.append(pattern[at : close + 1])
            at = close
        else:
            tokens.append("\\" + char)
        at += 1
    return tuple(tokens)


def _token_matches(token: str, char: str) -> bool:
    if token[0] != "[":
        return token[1:] == char or len(token) == 1
    inner = token[1:-1]
    negated = inner[0] in "!^" and len(inner) > 1
    return _in_class(inner[1:] if negated else inner, char) != negated


def _in_class(inner: str, char: str) -> bool:
    at = 0
    while at < len(inner):
        if inner[at + 1 : at + 2] == "-" and at + 2 < len(inner):
            if inner[at] <= char <= inner[at + 2]:
                return True
            at += 3
        else:
            if inner[at] == char:
                return True
            at += 1
    return False
