"""Arguments that make a harmless-looking program run another one or write a file.

A general allow (`Bash(find *)`) does not cover them; a rule that names exactly the text does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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
_SED_PATTERN = r"(?:[^/\\\n]|\\[^\n])*"
_SED_ADDRESS = rf"(?:[0-9]+|\$|/{_SED_PATTERN}/)"
_SED_COMMAND = re.compile(
    rf"\s*(?:{_SED_ADDRESS}(?:,{_SED_ADDRESS})?)?!?\s*"
    rf"(?:s/{_SED_PATTERN}/{_SED_PATTERN}/[gpiI0-9]*|[pdqQ=])\s*(?:;|$)"
)
_AWK_DANGER = re.compile(r"system|getline|[|>@`]|\bprintf?\b[^\"']*>")


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
    return "argument" if guard is not None and _trips(guard, words[1:]) else ""


def _trips(guard: Callable[[Sequence[str]], bool], words: Sequence[Word]) -> bool:
    """A `$X` at the start of an argument may turn out to be an option."""
    if any(word.expands and word.pattern.startswith("\x00") for word in words):
        return True
    return guard([word.text for word in words])


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


_GIT_LONG = (
    "--output", "--exec", "--exec-path", "--upload-pack", "--receive-pack", "--ext-diff",
    "--open-files-in-pager", "--config", "--config-env", "--extcmd", "--upload-archive",
    "--output-directory", "--tool-command", "--textconv", "--git-dir", "--work-tree",
    "--template", "--smtp-server", "--to-cmd", "--cc-cmd", "--paginate", "--gpg-program",
)  # fmt: skip
_GIT_VERBS = frozenset(
    {
        "config", "filter-branch", "bisect", "submodule", "difftool", "mergetool", "daemon",
        "instaweb", "send-email", "archive", "web--browse", "shell", "upload-pack",
        "receive-pack", "remote-ext", "remote-fd",
    }
)  # fmt: skip
_GIT_LETTERS = {
    "grep": "O", "diff": "O", "log": "O", "show": "O", "rebase": "x", "clone": "cu", "fetch": "u",
    "ls-remote": "u", "format-patch": "oO", "init": "", "diff-tree": "O", "diff-index": "O",
    "diff-files": "O", "whatchanged": "O", "push": "", "merge": "", "pull": "",
}  # fmt: skip
_GIT_GLOBAL_FLAGS = frozenset(
    {
        "--no-pager", "-P", "--version", "--help", "--no-replace-objects", "--bare",
        "--literal-pathspecs", "--no-optional-locks",
    }
)  # fmt: skip


def _git(arguments: Sequence[str]) -> bool:
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] == "-C":
            at += 2
        elif arguments[at] in _GIT_GLOBAL_FLAGS:
            at += 1
        else:
            return True
    rest = arguments[at:]
    if not rest:
        return False
    verb, options = rest[0], rest[1:]
    return verb in _GIT_VERBS or _git_options(verb, options)


def _git_options(verb: str, options: Sequence[str]) -> bool:
    letters = set(_GIT_LETTERS.get(verb, "O"))
    return any(_is_git_danger(text, letters) for text in options)


def _is_git_danger(text: str, letters: set[str]) -> bool:
    if text.startswith("--") and len(text) > 2:
        stem = text.partition("=")[0]
        return stem not in _GIT_HARMLESS and any(long.startswith(stem) for long in _GIT_LONG)
    if text.startswith("-"):
        return bool(letters & set(text[1:]))
    return "ext::" in text or text.startswith(("fd::", "!"))


_GIT_HARMLESS = frozenset({"--text", "--cc"})


def _sed(arguments: Sequence[str]) -> bool:
    """Only scripts made of plain `s///`, `p`, `d`, `q` are known to be harmless."""
    scripts: list[str] = []
    operands: list[str] = []
    at = 0
    while at < len(arguments):
        text = arguments[at]
        at += 1
        if text in ("-e", "-ne", "-Ee", "-re", "-nEe", "--expression"):
            scripts.extend(arguments[at : at + 1])
            at += 1
        elif text.startswith("--expression="):
            scripts.append(text.partition("=")[2])
        elif text in (
            "--quiet",
            "--silent",
            "--regexp-extended",
            "--posix",
            "--debug",
            "--null-data",
        ):
            continue
        elif text.startswith("-") and len(text) > 1:
            if not re.fullmatch(r"-[nErsuz]+", text):
                return True
        else:
            operands.append(text)
    scripts = scripts or operands[:1]
    return not all(_is_plain_sed(script) for script in scripts)


def _is_plain_sed(script: str) -> bool:
    at = 0
    while at < len(script):
        found = _SED_COMMAND.match(script, at)
        if found is None:
            return False
        at = found.end()
    return True


def _awk(arguments: Sequence[str]) -> bool:
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


def _uniq(arguments: Sequence[str]) -> bool:
    return len([text for text in arguments if not text.startswith(("-", "+"))]) > 1


_GUARDS: dict[str, Callable[[Sequence[str]], bool]] = {
    "find": _find,
    "git": _git,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "original-awk": _awk,
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
}
