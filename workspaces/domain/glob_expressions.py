"""A PathGlob as a regular expression, for a search that looks at thousands of paths.

Python gets atomic groups, which take the earliest match of each piece and never go back over a
path; ripgrep needs none. Both find what `PathGlob.matches` finds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from workspaces.domain.entries import FileError
from workspaces.domain.globs import (
    ANY_DEPTH,
    PathGlob,
    Segment,
    TooManyAlternatives,
    is_backward,
    segment_tokens,
    set_parts,
    set_ranges,
)
from workspaces.domain.spelling import SPELLED_BYTE, spelled

MAX_PATTERN = 1_000
MAX_EXPRESSION = 100_000
"""Characters; Linux takes no argument longer than 128 KiB."""
_NAME = re.compile(r"\[\[?(?:\.\.\.)?[A-Za-z_][\w.]+(?:-[\w.]{2,})*\]")
"""A set that is rather a name in brackets, as routes of web frameworks have them."""
_ATOMIC, _PLAIN = "(?>", "(?:"
_ANY = {_ATOMIC: "[^/]", _PLAIN: "(?-u:[^/])"}
"""What stars are made of: any sign, also a byte that is no UTF-8, which Python has as one."""


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Returns an expression for Python that matches relative paths; raises FileError."""
    return re.compile(_expression(pattern, _ATOMIC), re.DOTALL)


def linear_glob(pattern: str) -> str:
    """Returns the same for an engine that never goes back, such as ripgrep's; raises FileError."""
    return f"(?s:{_expression(pattern, _PLAIN)})"


def matches(compiled: re.Pattern[str], path: str) -> bool:
    """Returns whether the whole path, raw, matches."""
    return compiled.fullmatch(path) is not None


def without_bytes(pattern: str) -> str:
    """Returns a pattern for ripgrep's own globs: no byte can be written there, but `?` is any."""
    return SPELLED_BYTE.sub(lambda found: found[0] if found[1].lower() == "5c" else "?", pattern)


def searched_glob(pattern: str) -> PathGlob:
    """Reads the pattern of a search; raises FileError ("invalid-pattern") with the reason.

    What may be a name in brackets is looked for as it is written, too: `app/[id]/*.tsx`.
    """
    if len(pattern) > MAX_PATTERN or "\0" in pattern:
        raise FileError("invalid-pattern", f"A pattern has at most {MAX_PATTERN} characters.")
    try:
        found = PathGlob.of(pattern, only_inside=True)
    except TooManyAlternatives:
        raise _too_many() from None
    return PathGlob(tuple(tuple(map(_and_as_written, one)) for one in found.alternatives))


def _and_as_written(level: Segment) -> Segment:
    if not any("[" in text for text in level):
        return level
    return tuple(text for one in level for text in readings(one))


def readings(pattern: str) -> tuple[str, ...]:
    """Returns a pattern, and itself with what may be a name, `[id]`, `[...slug]`, as plain text.

    A name that would be no set, `[user-id]`, is read as a name alone.
    """
    if "[" not in pattern:
        return (pattern,)
    levels = [segment_tokens(level) or (level,) for level in pattern.split("/")]
    names = {token for level in levels for token in level if _NAME.fullmatch(token)}
    if not names:
        return (pattern,)
    written = "/".join(
        "".join(_plain(token) if token in names else token for token in level) for level in levels
    )
    return (written,) if any(map(is_backward, names)) else (pattern, written)


def _plain(token: str) -> str:
    return "".join(f"\\{sign}" if sign in "[]*?{}\\" else sign for sign in token)


def _too_many() -> FileError:
    return FileError("invalid-pattern", "The pattern has too many alternatives.")


def _expression(pattern: str, group: str) -> str:
    alternatives = searched_glob(pattern).alternatives
    text = "|".join(f"(?:{_levels(levels, group)})" for levels in alternatives)
    if len(text) > MAX_EXPRESSION:
        raise _too_many()
    return text


def _levels(levels: Sequence[Segment], group: str) -> str:
    runs: list[list[str]] = [[]]
    for level in levels:
        if level == ANY_DEPTH:
            runs.append([])
        else:
            runs[-1].append(_level(level, group))
    if len(runs) == 1:
        return "/".join(runs[0])
    first, *middle, last = runs
    text = "".join(f"{level}/" for level in first)
    for run in middle:
        if run:
            text += f"{group}(?:{_ANY[group]}+/)*?{''.join(f'{level}/' for level in run)})"
    return f"{text}(?:{_ANY[group]}+/)*{'/'.join(last)}"


def _level(level: Segment, group: str) -> str:
    texts = [_segment(text, group) for text in level]
    return texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"


def _segment(text: str, group: str) -> str:
    """Returns the expression of one level; pieces between stars match at the earliest."""
    tokens = segment_tokens(text)
    if tokens is None:
        return re.escape(text)
    pieces = [""]
    for sign in tokens:
        if sign == "*":
            pieces.append("")
        else:
            pieces[-1] += _character(sign, group)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    found = first + "".join(f"{group}{_ANY[group]}*?{piece})" for piece in middle if piece)
    return f"{found}{_ANY[group]}*{last}"


def _character(sign: str, group: str) -> str:
    if sign == "?":
        return "[^/]"
    if sign[0] == "[":
        return _set(sign, group)
    return _byte(sign[1:]) if group is _PLAIN and _is_byte(sign[1:]) else re.escape(sign[1:])


def _is_byte(sign: str) -> bool:
    return "\udc80" <= sign <= "\udcff"


def _byte(sign: str) -> str:
    return f"(?-u:{spelled(sign)})"


def _set(sign: str, group: str) -> str:
    """Returns the set without the slash, which is in no level, in words both engines read."""
    is_negated, inner = set_parts(sign)
    ranges = list(set_ranges(inner))
    if is_backward(sign):
        raise FileError("invalid-pattern", f"[{inner}] is not a set.")
    if group is _PLAIN and any(map(_is_byte, chain(*ranges))):
        return _set_with_bytes(ranges, is_negated=is_negated)
    if is_negated:
        return f"[^/{''.join(map(_range, ranges))}]"
    return f"[{_letters(ranges)}]"


def _set_with_bytes(ranges: Sequence[tuple[str, str]], *, is_negated: bool) -> str:
    """Returns the same for an engine of UTF-8, whose sets hold letters or bytes."""
    letters = [ends for ends in ranges if not any(map(_is_byte, ends))]
    only = [ends for ends in ranges if all(map(_is_byte, ends))]
    of_bytes = "".join(spelled("-".join(dict.fromkeys(ends))) for ends in only)
    if is_negated:
        return f"(?:[^/{''.join(map(_range, letters))}]|(?-u:[^\\x00-\\x7f{of_bytes}]))"
    either = [f"[{_letters(letters)}]"] if letters else []
    return f"(?:{'|'.join((*either, f'(?-u:[{of_bytes}])'))})"


def _letters(ranges: Sequence[tuple[str, str]]) -> str:
    return "".join(_range(one) for ends in ranges for one in _without_slash(*ends))


def _without_slash(first: str, last: str) -> tuple[tuple[str, str], ...]:
    if first < "/" < last:
        return (first, "."), ("0", last)
    return ((first, last),)


def _range(ends: tuple[str, str]) -> str:
    first, last = map(_literal, ends)
    return first if ends[0] == ends[1] else f"{first}-{last}"


def _literal(character: str) -> str:
    return f"\\{character}" if character in "\\[]^-&~|" else character
