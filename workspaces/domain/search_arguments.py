"""Which arguments the file search passes on to ripgrep: none that runs or reads anything else."""

from __future__ import annotations

import re

from workspaces.domain.entries import FileError

# Which files are searched: seed M §8 names `.gitignore`. What one person's own settings of git, or
# `.git/info/exclude`, leave out is not left out here: all members find the same.
SEARCHED = (
    "--no-config", "--hidden", "--no-require-git", "--no-ignore-global", "--no-ignore-exclude",
    "--no-messages", "--no-ignore-messages", "-g", "!.git", "-g", "!node_modules",
)  # fmt: skip
# They run a program, read another file, follow links or leave the arguments' order.
_REFUSED_LONG = frozenset(
    re.findall(
        r"\S+",
        "pre pre-glob hostname-bin search-zip file ignore-file follow generate debug trace",
    )
)
_REFUSED_SHORT = frozenset("zLf")
_SHORT_WITH_VALUE = frozenset("ABCEMTdefgjmrt")
_LONG_WITH_VALUE = frozenset(
    re.findall(
        r"\S+",
        """after-context before-context color colors context context-separator dfa-size-limit
    encoding
    engine field-context-separator field-match-separator glob iglob hyperlink-format max-columns
    max-count max-depth maxdepth max-filesize path-separator regex-size-limit regexp replace sort
    sortr threads type type-add type-clear type-not""",
    )
)


def checked_arguments(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the arguments unchanged; raises FileError ("invalid-pattern") for a refused one."""
    rest = list(reversed(arguments))
    while rest:
        argument = rest.pop()
        if "\0" in argument:
            raise FileError("invalid-pattern", "A pattern has no NUL character.")
        if argument == "--":
            break
        if argument.startswith("--"):
            takes_next = _long(argument)
        else:
            takes_next = argument.startswith("-") and argument != "-" and _short(argument)
        if takes_next and rest:
            _check_value(rest.pop())
    return arguments


def _check_value(value: str) -> None:
    if "\0" in value:
        raise FileError("invalid-pattern", "A pattern has no NUL character.")


def _long(argument: str) -> bool:
    """Returns whether the next argument is this one's value."""
    name, equals, _value = argument[2:].partition("=")
    if name in _REFUSED_LONG:
        raise FileError("invalid-pattern", f"--{name} is not for searching files here.")
    return not equals and name in _LONG_WITH_VALUE


def _short(argument: str) -> bool:
    for position, letter in enumerate(argument[1:], start=1):
        if letter in _REFUSED_SHORT:
            raise FileError("invalid-pattern", f"-{letter} is not for searching files here.")
        if letter in _SHORT_WITH_VALUE:
            return position == len(argument) - 1
    return False
