"""File name patterns: `*`, `?`, `[…]`, `{a,b}` and `**`, as one linear regular expression."""

from __future__ import annotations

import itertools
import re

from workspaces.domain.entries import FileError

MAX_PATTERN = 1_000
MAX_ALTERNATIVES = 100
_SET = re.compile(r"\(\?!/\)\[((?:[^\\\]]|\\.)*)\]", re.DOTALL)


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Returns a regular expression that matches relative paths; raises FileError.

    `*` and `?` stay within a folder, `**` crosses folders. Atomic groups take the earliest match
    of each piece, so that matching never backtracks over a whole path.
    """
    if len(pattern) > MAX_PATTERN or "\0" in pattern:
        raise FileError("invalid-pattern", f"A pattern has at most {MAX_PATTERN} characters.")
    alternatives = [_one(text) for text in _expand(pattern.removeprefix("./").lstrip("/"))]
    return re.compile("|".join(f"(?:{one})" for one in alternatives), re.DOTALL)


def linear_glob(pattern: str) -> str:
    """Returns the same expression for a linear engine, such as ripgrep's; raises FileError.

    Without backtracking there is nothing for atomic groups to prevent.
    """
    text = compile_glob(pattern).pattern.replace("(?>", "(?:")
    return "(?s:" + _SET.sub(r"[[\1]&&[^/]]", text) + ")"


def matches(compiled: re.Pattern[str], path: str) -> bool:
    """Returns whether the whole path matches."""
    return compiled.fullmatch(path) is not None


def _expand(pattern: str) -> list[str]:
    """Returns the patterns `{a,b}` stands for."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        braces = _first_braces(text)
        if braces is None:
            done.append(text)
            continue
        start, end, options = braces
        waiting += [f"{text[:start]}{option}{text[end:]}" for option in options]
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            raise FileError("invalid-pattern", "The pattern has too many alternatives.")
    return done


def _first_braces(text: str) -> tuple[int, int, list[str]] | None:
    """Returns (start, end, options) of the first braces that hold a comma."""
    opened: list[tuple[int, list[int]]] = []
    for position, character in enumerate(text):
        if character == "{":
            opened.append((position, []))
        elif character == "," and opened:
            opened[-1][1].append(position)
        elif character == "}" and opened:
            start, commas = opened.pop()
            if commas and not any(outer[1] for outer in opened):
                edges = [start, *commas, position]
                options = [text[a + 1 : b] for a, b in itertools.pairwise(edges)]
                return start, position + 1, options
    return None


def _one(pattern: str) -> str:
    segments = [segment for segment in pattern.split("/") if segment not in {"", "."}]
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(segment))
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *middle, last = groups
    text = "".join(f"{segment}/" for segment in first)
    for group in middle:
        if group:
            text += f"(?>(?:[^/]+/)*?{''.join(f'{segment}/' for segment in group)})"
    return text + (f"(?:[^/]+/)*{'/'.join(last)}" if last else ".+")


def _segment(segment: str) -> str:
    """Returns the expression of one path segment; pieces between stars match at the earliest."""
    pieces = [""]
    position = 0
    while position < len(segment):
        if segment[position] == "*":
            pieces.append("")
            position += 1
            continue
        text, position = _character(segment, position)
        pieces[-1] += text
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    text = first + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return text + (f"[^/]*{last}" if last else "[^/]*")


def _character(segment: str, position: int) -> tuple[str, int]:
    character = segment[position]
    if character == "?":
        return "[^/]", position + 1
    if character == "\\" and position + 1 < len(segment):
        return re.escape(segment[position + 1]), position + 2
    if character == "[":
        return _set(segment, position)
    return re.escape(character), position + 1


def _set(segment: str, position: int) -> tuple[str, int]:
    negated = segment[position + 1 : position + 2] in {"!", "^"}
    start = position + 1 + negated
    end = segment.find("]", start + 1)
    if end < 0:
        return re.escape("["), position + 1
    body = segment[start:end].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    body = body.replace("^", r"\^").replace("&", r"\&").replace("~", r"\~").replace("|", r"\|")
    text = f"[{'^/' if negated else ''}{body}]"
    try:
        re.compile(text)
    except re.error as error:
        raise FileError("invalid-pattern", f"[{segment[start:end]}] is not a set.") from error
    return text if negated else f"(?!/){text}", end + 1
