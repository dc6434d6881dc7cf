"""sed and awk scripts: only those known to run nothing and to write no file are harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.domain.shell.arguments import read_arguments
from agents.domain.shell.programs import Program
from agents.domain.shell.values import Word

_SED_BRACKETS = r"\[\^?+\]?+[^\]\n%s]*+\]"
_SED_REGEX = rf"(?>[^%s\\\n\[]|\\[^\n]|{_SED_BRACKETS})*+"
_SED_TEXT = r"(?>[^%s\\\n]|\\[^\n])*+"
_SED_ADDRESS = rf"(?:[0-9]+(?:~[0-9]+)?|\$|/{_SED_REGEX % ('/', '/')}/[IM]*)"
_SED_HEAD = re.compile(rf"(?:{_SED_ADDRESS}(?:,(?:{_SED_ADDRESS}|[+~][0-9]+))?)?[ \t]*!?[ \t]*")
_SED_PLAIN = re.compile(r"(?:[=dDgGhHlnNpPxzF}]|[qQ][ \t]*[0-9]*)[ \t]*(?=[;\n}]|$)|\{")
_SED_DELIMITED = re.compile(r"[sy]([/|,#:@%!~+=_])")
_SED_BLANKS = re.compile(r"[ \t\n;]*")
_SED_SCRIPT = frozenset({"-e", "--expression"})
_AWK_DANGER = re.compile(r"system|getline|[@`]|print.*[|>]", re.DOTALL)
"""`|` and `>` lead elsewhere only behind `print`, `printf` and with getline."""
_AWK_TEXTS = re.compile(r'"(?:[^"\\\n]|\\.)*+"', re.DOTALL)
_AWK_KNOWN = re.compile(rf'(?:[^"/#\\]|{_AWK_TEXTS.pattern})*+', re.DOTALL)
"""A program in which it is certain where texts end: no regex, no comment, no escape outside."""
_AWK_DANGER_OUTSIDE = re.compile(r"system|getline|[@`]|print[^;}]*[|>]")
"""The same where texts are gone; a `;` or `}` ends what `print` prints."""


def trips_sed(words: Sequence[Word], line: Program) -> bool:
    """Says whether sed may run or write something: `e`, `w`, `-i`, or what is not understood."""
    scripts: list[Word] = []
    operands: list[Word] = []
    for argument in read_arguments(words, line):
        if argument.name in _SED_SCRIPT and argument.value is not None:
            scripts.append(argument.value)
        elif not argument.name and argument.value is not None:
            operands.append(argument.value)
        elif argument.name not in line.flags:
            return True
    return not all(
        script.is_static and _is_plain_sed(script.text) for script in scripts or operands[:1]
    )


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


def trips_awk(words: Sequence[Word], line: Program) -> bool:
    """Harmless: `-F`, `-v`, and a program without system, pipes, redirections, getline.

    awk takes no option behind its program.
    """
    for argument in read_arguments(words, line):
        if not argument.name and argument.value is not None:
            program = argument.value
            return not program.is_static or _is_dangerous_awk(program.text)
        if argument.name not in line.takes or argument.value is None:
            return True
    return False


def _is_dangerous_awk(program: str) -> bool:
    if not _AWK_KNOWN.fullmatch(program):
        return bool(_AWK_DANGER.search(program))
    return bool(_AWK_DANGER_OUTSIDE.search(_AWK_TEXTS.sub('""', program)))
