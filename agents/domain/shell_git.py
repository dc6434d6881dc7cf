"""git: where its verb stands, and what the table knows of that verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.domain.shell_values import ANY, Word

_FLAGS = frozenset(
    {
        "--no-pager", "-P", "--version", "-v", "--help", "-h", "--no-replace-objects",
        "--no-lazy-fetch", "--no-optional-locks", "--no-advice", "--literal-pathspecs",
        "--no-literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs",
        "--html-path", "--man-path", "--info-path",
    }
)  # fmt: skip


_VALUED = frozenset(
    {
        "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source",
        "--shallow-file", "--super-prefix",
    }
)  # fmt: skip
"""Options before the verb whose value is the next word (git.c, handle_options, git 2.47)."""
_KNOWN_VERBS = frozenset(
    {
        "add", "am", "annotate", "apply", "archive", "backfill", "bisect", "blame", "branch",
        "bugreport", "bundle", "cat-file", "check-attr", "check-ignore", "check-mailmap",
        "check-ref-format", "checkout", "checkout-index", "cherry", "cherry-pick", "citool",
        "clean", "clone", "column", "commit", "commit-graph", "commit-tree", "config",
        "count-objects", "credential", "credential-cache", "credential-store", "daemon",
        "describe", "diagnose", "diff", "diff-files", "diff-index", "diff-pairs", "diff-tree",
        "difftool", "fast-export", "fast-import", "fetch", "fetch-pack", "filter-branch",
        "filter-repo", "flow", "fmt-merge-msg", "for-each-ref", "for-each-repo", "format-patch",
        "fsck", "fsck-objects", "gc", "get-tar-commit-id", "gitk", "grep", "gui", "hash-object",
        "help", "hook", "http-backend", "http-fetch", "http-push", "imap-send", "index-pack",
        "init", "init-db", "instaweb", "interpret-trailers", "last-modified", "lfs", "log",
        "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "maintenance", "merge",
        "merge-base", "merge-file", "merge-index", "merge-one-file", "merge-recursive",
        "merge-subtree", "merge-tree", "mergetool", "mktag", "mktree", "multi-pack-index", "mv",
        "name-rev", "notes", "p4", "pack-objects", "pack-redundant", "pack-refs", "patch-id",
        "pickaxe", "prune", "prune-packed", "pull", "push", "quiltimport", "range-diff",
        "read-tree", "rebase", "receive-pack", "reflog", "refs", "remote", "remote-ext",
        "remote-fd", "remote-http", "remote-https", "repack", "replace", "replay", "repo",
        "request-pull", "rerere", "reset", "restore", "rev-list", "rev-parse", "revert", "rm",
        "send-email", "send-pack", "shell", "shortlog", "show", "show-branch", "show-index",
        "show-ref", "sparse-checkout", "stage", "stash", "status", "stripspace", "submodule",
        "subtree", "svn", "switch", "symbolic-ref", "tag", "unpack-file", "unpack-objects",
        "update-index", "update-ref", "update-server-info", "upload-archive", "upload-pack",
        "var", "verify-commit", "verify-pack", "verify-tag", "version", "web--browse",
        "whatchanged", "worktree", "write-tree",
    }
)  # fmt: skip
"""What git runs itself, or by a well-known program, before it looks for an alias."""
_HELP = frozenset({"--help", "-h", "--version", "-v"})


def git_verb(words: Sequence[Word]) -> int | None:
    """Returns where the verb stands in `words`, or their number if there is none.

    None: an option before it says where git works or what it runs, or only bash knows.
    """
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text not in _FLAGS:
            return None
        at += 1
    return at if all(word.is_static for word in words[1 : at + 1]) else None


def git_forms(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yields what `git …` or `git-verb …` is without what stands before its verb.

    The verb is ANY where only git knows it: an alias, an option that bash decides.
    """
    name = words[0].text
    if name.startswith("git-"):
        verb = name.removeprefix("git-")
        yield [_word("git", words[0]), _word(verb, words[0]), *words[1:]]
    if name != "git" or len(words) < 2:
        return
    at = _verb_at(words)
    if at is None or (at < len(words) and words[at].text not in _KNOWN_VERBS | _HELP):
        yield [words[0], _word(ANY, words[0])]
    elif 1 < at < len(words):
        yield [words[0], *words[at:]]


def _verb_at(words: Sequence[Word]) -> int | None:
    """Returns where the verb stands; None where bash decides what comes before it."""
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", ""):
        if not all(word.is_static and not word.expands for word in words[at : at + 2]):
            return None
        if words[at].text in _HELP:
            break
        at += 2 if words[at].text in _VALUED else 1
    is_known = at >= len(words) or (words[at].is_static and not words[at].expands)
    return at if is_known else None


def _word(text: str, beside: Word) -> Word:
    return Word(text, "" if text == ANY else text, text, beside.start)
