"""sed and awk scripts: only those known to run nothing and to write no file are harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_SED_BRACKETS = r"\[\^?+\]?+[^\]\n%s]*+\]"
_SED_REGEX = rf"(?>[^%s\\\n\[]|\\[^\n]|{_SED_BRACKETS})*+"
_SED_TEXT = r"(?>[^%s\\\n]|\\[^\n])*+"
_SED_ADDRESS = rf"(?:[0-9]+(?:~[0-9]+)?|\$|/{_SED_REGEX % ('/', '/')}/[IM]*)"
_SED_HEAD = re.compile(rf"(?:{_SED_ADDRESS}(?:,(?:{_SED_ADDRESS}|[+~][0-9]+))?)?[ \t]*!?[ \t]*")
_SED_PLAIN = re.compile(r"(?:[=dDgGhHlnNpPxzF}]|[qQ][ \t]*[0-9]*)[ \t]*(?=[;\n}]|$)|\{")
_SED_DELIMITED = re.compile(r"[sy]([/|,#:@%!~+=_])")
_SED_BLANKS = re.compile(r"[ \t\n;]*")
_SED_VALUE = frozenset({"-e", "-ne", "-Ee", "-re", "-nEe", "--expression"})
_SED_FLAG = re.compile(
    r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix|debug|null-data|separate|unbuffered)"
)
_AWK_DANGER = re.compile(r"system|getline|[|>@`]")


def trips_sed(arguments: Sequence[str]) -> bool:
    """Says whether sed may run or write something: `e`, `w`, `-i`, or what is not understood."""
    scripts: list[str] = []
    operands: list[str] = []
    rest = iter(arguments)
    for text in rest:
        if text in _SED_VALUE:
            scripts.append(next(rest, ""))
        elif text.startswith("--expression="):
            scripts.append(text.partition("=")[2])
        elif not text.startswith("-") or text == "-":
            operands.append(text)
        elif not _SED_FLAG.fullmatch(text):
            return True
    return not all(_is_plain_sed(script) for script in scripts or operands[:1])


def _is_plain_sed(script: str) -> bool:
    at = _after(_SED_BLANKS, script, 0)
    while at is not None and at < len(script):
        at = _after_command(script, at)
        at = None if at is None else _after(_SED_BLANKS, script, at)
    return at is not None


def _after_command(script: str, at: int) -> int | None:
    """Returns where the command that begins at `at` ends; None if it is not known as harmless."""
    at = _after(_SED_HEAD, script, at) or at
    delimited = _SED_DELIMITED.match(script, at)
    return _after(_delimited(delimited[1]) if delimited else _SED_PLAIN, script, at)


@lru_cache(maxsize=32)
def _delimited(sign: str) -> re.Pattern[str]:
    """The whole of `s/…/…/` and `y/…/…/` with another sign; a sign in brackets is not known."""
    sign = re.escape(sign)
    regex, text = _SED_REGEX % (sign, sign), _SED_TEXT % sign
    return re.compile(
        rf"(?:s{sign}{regex}{sign}{text}{sign}[gpiImM0-9]*|y{sign}{text}{sign}{text}{sign})"
        r"[ \t]*(?=[;\n}]|$)"
    )


def _after(pattern: re.Pattern[str], text: str, at: int) -> int | None:
    found = pattern.match(text, at)
    return None if found is None else found.end()


def trips_awk(arguments: Sequence[str]) -> bool:
    """Harmless: `-F`, `-v`, and a program without system, pipes, redirections, getline."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and len(arguments[at]) > 1:
        text = arguments[at]
        if text == "--":
            at += 1
            break
        if not re.match(r"-[Fv]", text):
            return True
        at += 2 if len(text) == 2 else 1
    return at < len(arguments) and bool(_AWK_DANGER.search(arguments[at]))
