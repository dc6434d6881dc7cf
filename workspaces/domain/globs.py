"""PathGlob: the one language of file patterns, for rules and for searches by name.

`*`, `?` and `[…]` stay within one level, `**` as a level stands for any number of levels, `{a,b}`
for either, and a backslash takes a sign's meaning away. A byte that is no UTF-8 is one sign and
written as in names, `\\xe9`. Nothing matches by a backtracking regular
expression; what a search needs to look at thousands of paths is in `glob_expressions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from workspaces.domain.spelling import SPELLED_BYTE, raw, raw_sign, spelled_pattern

MAX_ALTERNATIVES = 256
"""What the braces of one level, or those that span levels, may stand for."""
MAX_EXPANDED = 262_144
"""Characters written out while braces are expanded (20 ms)."""
_WILD = frozenset("*?[{\\")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLACING = re.compile(r"[/~]|\.\.|\*\*|[{,][.*]?(?:,|\Z)")
"""In braces: what says where a path begins, goes up, ends or goes to any depth."""
_BRACE_SIGN = re.compile(r"[{,}]|\\.", re.DOTALL)


class TooManyAlternatives(ValueError):
    """The braces of a pattern stand for more than can be examined."""


Segment = tuple[str, ...]
"""One level of a path pattern: the texts its braces stand for."""
ANY_DEPTH: Segment = ("**",)
ANY_NAME: Segment = ("*",)
_NO_NAMES: dict[str, tuple[Segment, ...]] = {"**": (ANY_DEPTH,), "": (), ".": ()}
"""What braces may make of a level besides a name, and the levels it is then."""


@dataclass(frozen=True, slots=True)
class PathGlob:
    """A path pattern: `*` within one level, `**` any number of levels, `?`, `[a-z]`, `{a,b}`.

    Braces within one level stay there, so that levels do not multiply.
    """

    alternatives: tuple[tuple[Segment, ...], ...]

    @classmethod
    def of(cls, pattern: str, *, only_inside: bool = False) -> PathGlob:
        """Compiles `pattern`; "." and empty segments vanish. Raises `TooManyAlternatives`.

        `only_inside`: a `**` at the end stands for one level at least, so that `d/**` is what a
        search finds in `d`. A rule about `d/**` is about `d` too.
        """
        texts = expanded_braces(plain_slashes(pattern), is_chosen=lambda braces: "/" in braces)
        found = [levels for text in texts for levels in _levels(text)]
        if len(found) > MAX_ALTERNATIVES:
            raise TooManyAlternatives(pattern)
        if only_inside:
            found = [(*one, ANY_NAME) if one[-1:] == (ANY_DEPTH,) else one for one in found]
        return cls(tuple(found))

    @classmethod
    def any_of(cls, globs: Iterable[PathGlob]) -> PathGlob:
        """Returns what matches where one of `globs` does."""
        return cls(tuple(levels for one in globs for levels in one.alternatives))

    @property
    def width(self) -> int:
        """How many alternatives one comparison may look at."""
        return sum(sum(map(len, levels)) for levels in self.alternatives)

    @property
    def backward_sets(self) -> tuple[str, ...]:
        """The sets with a range that runs backwards, `[z-a]`: no character is in it."""
        texts = (text for levels in self.alternatives for level in levels for text in level)
        tokens = (token for text in texts for token in segment_tokens(text) or ())
        return tuple(one for one in tokens if one[0] == "[" and is_backward(one))

    def matches(self, path: str) -> bool:
        """Says whether `path`, already normalised, fits."""
        parts = path_levels(path)
        return any(_fits(segments, parts) for segments in self.alternatives)

    def may_be_below(self, folder: str) -> bool:
        """Says whether something inside `folder` could fit."""
        parts = path_levels(folder)
        return any(_reaches(segments, parts) for segments in self.alternatives)


def path_levels(path: str) -> tuple[str, ...]:
    """Returns the names, raw, that a path goes through."""
    return _parts(raw(path))


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("/") if part not in ("", "."))


def _levels(text: str) -> list[tuple[Segment, ...]]:
    """Returns the levels of a text; several where braces may make one a `**`, or nothing."""
    if "{" not in text:
        return [tuple((part,) for part in _parts(text))]
    found: list[tuple[Segment, ...]] = [()]
    for part in _parts(text):
        texts = expanded_braces(part)
        names = tuple(text for text in texts if text not in _NO_NAMES)
        choices: list[tuple[Segment, ...]] = [(names,)] if names else []
        choices += [levels for text, levels in _NO_NAMES.items() if text in texts]
        found = [(*above, *choice) for above in found for choice in choices]
        if len(found) > MAX_ALTERNATIVES:
            raise TooManyAlternatives(text)
    return found


def plain_slashes(pattern: str) -> str:
    """Returns `pattern` with `\\/` as `/`, which has no other meaning, and bytes as letters."""
    if "\\" not in pattern:
        return pattern
    text = spelled_pattern(pattern)
    return _ESCAPED.sub(lambda found: "/" if found[1] == "/" else found[0], text)


def placed_texts(pattern: str) -> list[str]:
    """Writes out the braces that say where a path lies, so that each text lies in one place.

    `{~/.ssh,../keys/}` is about a home and about a folder beside the root. Raises
    `TooManyAlternatives`.
    """
    text = plain_slashes(pattern)
    if "{" not in text:
        return [text]
    return expanded_braces(text, is_chosen=lambda braces: _PLACING.search(braces) is not None)


def expanded_braces(pattern: str, is_chosen: Callable[[str], bool] = bool) -> list[str]:
    """Writes out the `{a,b}` that are chosen; raises `TooManyAlternatives`."""
    todo, done, size = [pattern], [], 0
    while todo:
        text = todo.pop()
        braces = next((one for one in _braces(text) if is_chosen(text[one[0] : one[-1]])), None)
        if braces is None:
            done.append(text)
        else:
            choices = [text[at + 1 : end] for at, end in pairwise(braces)]
            todo.extend(text[: braces[0]] + one + text[braces[-1] + 1 :] for one in choices)
            size += len(choices) * len(text)
        if len(todo) + len(done) > MAX_ALTERNATIVES or size > MAX_EXPANDED:
            raise TooManyAlternatives(pattern)
    return done


def _braces(text: str) -> Iterator[list[int]]:
    """Yields the places of `{`, its commas and `}`, inner braces first; only those with a comma."""
    opened: list[list[int]] = []
    for found in _BRACE_SIGN.finditer(text) if "{" in text else ():
        at, sign = found.start(), found[0]
        if sign == "{":
            opened.append([at])
        elif sign == "," and opened:
            opened[-1].append(at)
        elif sign == "}" and opened:
            braces = opened.pop()
            if len(braces) > 1:
                yield [*braces, at]


def _fits(segments: Sequence[Segment], parts: Sequence[str]) -> bool:
    """Greedy matching with one way back, to the last `**`: never exponential."""
    at = position = 0
    back: tuple[int, int] | None = None
    while position < len(parts):
        if at < len(segments) and segments[at] == ANY_DEPTH:
            back = (at + 1, position)
            at += 1
        elif at < len(segments) and _level_matches(segments[at], parts[position]):
            at, position = at + 1, position + 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            at, position = back
        else:
            return False
    return all(segment == ANY_DEPTH for segment in segments[at:])


def _reaches(segments: Sequence[Segment], parts: Sequence[str]) -> bool:
    for segment, part in zip(segments, parts, strict=False):
        if segment == ANY_DEPTH:
            return True
        if not _level_matches(segment, part):
            return False
    return len(segments) > len(parts)


def _level_matches(segment: Segment, part: str) -> bool:
    return any(segment_matches(pattern, part) for pattern in segment)


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
        close = _set_end(pattern, at) if char == "[" else -1
        if char in "*?":
            tokens.append(char)
        elif char == "\\" and (byte := SPELLED_BYTE.match(pattern, at)):
            tokens.append("\\" + raw_sign(byte[1]))
            at = byte.end() - 1
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


def _set_end(pattern: str, at: int) -> int:
    """Returns where the set ends that may begin at `at`; a `]` that comes first is in it."""
    is_negated = pattern[at + 1 : at + 2] in ("!", "^")
    return pattern.find("]", at + 2 + is_negated)


def set_parts(token: str) -> tuple[bool, str]:
    """Returns whether a `[…]` is negated, and what stands in it."""
    is_negated = token[1] in "!^"
    return is_negated, token[1 + is_negated : -1]


def _token_matches(token: str, char: str) -> bool:
    if token[0] != "[":
        return token[1:] == char or len(token) == 1
    is_negated, inner = set_parts(token)
    return any(first <= char <= last for first, last in set_ranges(inner)) != is_negated


def set_ranges(inner: str) -> Iterator[tuple[str, str]]:
    """Yields the first and the last character, raw, of each range in a set; often the same."""
    inner = SPELLED_BYTE.sub(lambda found: raw_sign(found[1]), inner)
    at = 0
    while at < len(inner):
        is_range = inner[at + 1 : at + 2] == "-" and at + 2 < len(inner)
        last = at + 2 if is_range else at
        yield inner[at], inner[last]
        at = last + 1


def is_backward(token: str) -> bool:
    """Returns whether a range of a `[…]` runs from a later character to an earlier one."""
    return any(first > last for first, last in set_ranges(set_parts(token)[1]))


def fixed_part(pattern: str) -> tuple[str, bool]:
    """Returns the folders before the first wildcard; not certain if `..` follows it."""
    parts = pattern.split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD & set(part)), len(parts))
    rest = SPELLED_BYTE.sub("?", "/".join(parts[wild:]))  # neither a dot nor a slash
    unclear = ("..", "\\", "/~", "{/", ",/", "{~", ",~")
    is_plain = not any(sign in rest for sign in unclear)
    fixed = "/".join(parts[:wild])
    return (fixed or ("/" if pattern.startswith("/") else "")), is_plain
