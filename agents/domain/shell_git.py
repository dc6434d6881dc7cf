"""What git may be told to run or to write by its verbs, options and addresses."""

from __future__ import annotations

from collections.abc import Sequence

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


def trips_git(arguments: Sequence[str]) -> bool:
    """Says whether git would run a program or write a file that the arguments name."""
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
    letters = set(_GIT_LETTERS.get(verb, "O"))
    return verb in _GIT_VERBS or any(_is_git_danger(text, letters) for text in options)


def _is_git_danger(text: str, letters: set[str]) -> bool:
    if text.startswith("--") and len(text) > 2:
        stem = text.partition("=")[0]
        return stem not in _GIT_HARMLESS and any(long.startswith(stem) for long in _GIT_LONG)
    if text.startswith("-"):
        return bool(letters & set(text[1:]))
    return "ext::" in text or text.startswith(("fd::", "!"))


_GIT_HARMLESS = frozenset({"--text", "--cc"})
