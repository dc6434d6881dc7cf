"""Arguments that make a harmless-looking program run another one or write a file.

A general allow (`Bash(find *)`) does not cover them; a rule that names exactly the text does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agents.domain.shell_editors import trips_awk, trips_sed
from agents.domain.shell_git import trips_git
from agents.domain.shell_values import ShellCommand, Word
from agents.domain.shell_wrappers import SHELLS, inner_of, program

_STATE = frozenset(
    {
        ".", "source", "exec", "eval", "trap", "alias", "unalias", "enable", "hash", "set",
        "shopt", "export", "declare", "typeset", "local", "readonly", "unset", "read", "mapfile",
        "readarray", "getopts", "let", "bind", "complete", "compgen", "compopt", "fc", "history",
        "builtin", "command", "jobs",
    }
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def special_of(command: ShellCommand) -> str:
    """Returns the code of what only an exact rule may allow about `command`, or ""."""
    if command.kind != "simple":
        return "arithmetic" if command.kind == "arithmetic" else ""
    if command.prefixes:
        return "assignment"
    return _special_program(command.words) if command.words else ""


def _special_program(words: Sequence[Word]) -> str:
    name = program(words)
    if name in SHELLS:
        return _shell(words)
    if name in _STATE:
        return "state"
    if inner_of(words) is not None:
        return "wrapper"
    guard = _GUARDS.get(name)
    return "argument" if guard is not None and _trips(name, guard, words[1:]) else ""


def _trips(name: str, guard: Callable[[Sequence[str]], bool], words: Sequence[Word]) -> bool:
    """A `$X` at the start of an argument may turn out to be an option."""
    opening = [word for word in words if word.expands and word.pattern.startswith("\x00")]
    is_operand = _OPERANDS.get(name)
    if opening and (is_operand is None or not is_operand(words, opening)):
        return True
    return guard([word.text for word in words])


def _printf_operand(words: Sequence[Word], opening: Sequence[Word]) -> bool:
    """What follows a plain format is text."""
    return words[0] not in opening and not words[0].text.startswith("-")


def _test_operand(words: Sequence[Word], opening: Sequence[Word]) -> bool:
    """One quoted `"$X"` is one operand; alone it makes no `-v name[subscript]`."""
    others = [word.text for word in words[:-1] if word not in opening]
    return (
        len(opening) == 1
        and opening[0].raw[:1] == opening[0].raw[-1:] == '"'
        and "@" not in opening[0].raw
        and not any("[" in text for text in others)
    )


_OPERANDS: dict[str, Callable[[Sequence[Word], Sequence[Word]], bool]] = {
    "printf": _printf_operand,
    "test": _test_operand,
    "[": _test_operand,
}


def _shell(words: Sequence[Word]) -> str:
    """A shell is harmless only with a script file as its first operand."""
    for word in words[1:]:
        if not word.is_static:
            return "shell-input"
        if word.text[:1] not in ("-", "+"):
            return "shell-input" if word.text.startswith(("/dev", "/proc")) else ""
        if not re.fullmatch(r"-[euxvn]+", word.text):
            return "wrapper" if "c" in word.text else "shell-input"
    return "shell-input"


def _option(*names: str) -> Callable[[Sequence[str]], bool]:
    """Trips on options: `-x`, also inside `-ax…`; `--long`, also shortened, also with `=`."""
    shorts = {name[1] for name in names if len(name) == 2 and name[0] == "-"}
    longs = [name for name in names if name.startswith("--")]
    words = {name for name in names if len(name) > 2 and not name.startswith("--")}

    def trips(arguments: Sequence[str]) -> bool:
        for text in arguments:
            if text.startswith("--"):
                stem = text.partition("=")[0]
                if len(stem) > 2 and any(_shortens(stem, long) for long in longs):
                    return True
            elif text in words or (text[:1] == "-" and shorts & set(text[1:])):
                return True
        return False

    return trips


def _shortens(stem: str, option: str) -> bool:
    return option.startswith(stem) or stem.startswith(option)


def _find(arguments: Sequence[str]) -> bool:
    dangerous = ("-exec", "-ok", "-delete", "-fprint", "-fls")
    return any(text.startswith(dangerous) for text in arguments)


def _tar(arguments: Sequence[str]) -> bool:
    if arguments and not arguments[0].startswith("-") and set("IF") & set(arguments[0]):
        return True
    return _option(
        "-I", "-F", "--checkpoint-action", "--to-command", "--use-compress-program",
        "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command",
    )(arguments)  # fmt: skip


def _subscript(arguments: Sequence[str]) -> bool:
    """`-v name` of test and printf runs a substitution in a subscript, quoted or not."""
    for at, text in enumerate(arguments):
        if text in ("-v", "-R") and not all(map(_NAME.fullmatch, arguments[at + 1 : at + 2])):
            return True
    return any("[" in text and ("$(" in text or "`" in text) for text in arguments)


def _printf(arguments: Sequence[str]) -> bool:
    first = arguments[0] if arguments else ""
    return first.startswith("-v") or _subscript(arguments)


def _test(arguments: Sequence[str]) -> bool:
    return _subscript(arguments)


def _vim(arguments: Sequence[str]) -> bool:
    return any(
        text.startswith(("-c", "--cmd", "+", "-S", "-s", "-u", "-W", "-w")) for text in arguments
    )


def _tmux(arguments: Sequence[str]) -> bool:
    """tmux and screen start programs, unless they only show what there is."""
    harmless = ("ls", "list-", "has", "-V", "-ls", "-list", "info", "kill-", "attach", "-v")
    return not (arguments and arguments[0].startswith(harmless))


def _expect(_arguments: Sequence[str]) -> bool:
    return True


def _uniq(arguments: Sequence[str]) -> bool:
    return len([text for text in arguments if not text.startswith(("-", "+"))]) > 1


_GUARDS: dict[str, Callable[[Sequence[str]], bool]] = {
    "find": _find,
    "git": trips_git,
    "sed": trips_sed,
    "gsed": trips_sed,
    "awk": trips_awk,
    "gawk": trips_awk,
    "mawk": trips_awk,
    "nawk": trips_awk,
    "original-awk": trips_awk,
    "sort": _option("-o", "--output", "--compress-program"),
    "shuf": _option("-o", "--output"),
    "tar": _tar,
    "bsdtar": _tar,
    "rg": _option("--pre", "--hostname-bin"),
    "ag": _option("--pager"),
    "ack": _option("--pager", "--output"),
    "fd": _option("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": _option("-x", "-X", "--exec", "--exec-batch"),
    "printf": _printf,
    "test": _test,
    "[": _test,
    "wait": _option("-p"),
    "vim": _vim,
    "vi": _vim,
    "nvim": _vim,
    "view": _vim,
    "ex": _vim,
    "rsync": _option("-e", "--rsh", "--rsync-path"),
    "scp": _option("-S", "-o", "-F"),
    "sftp": _option("-S", "-o", "-F", "-b"),
    "wget": _option("-e", "--execute", "--use-askpass"),
    "zip": _option("-T", "--unzip-command"),
    "split": _option("--filter"),
    "man": _option("-P", "-H", "--pager", "--html"),
    "uniq": _uniq,
    "yq": _option("-i", "--inplace"),
    "tcpdump": _option("-z", "-w"),
    "cpio": _option("--rsh-command"),
    "gdb": _option("-ex", "-x", "--eval-command", "--command", "--args"),
    "less": _option("-o", "-O", "-k", "--lesskey-file", "--log-file"),
    "make": _option("--eval"),
    "xmllint": _option("--output"),
    "iconv": _option("-o", "--output"),
    "tree": _option("-o"),
    "tmux": _tmux,
    "screen": _tmux,
    "expect": _expect,
}
