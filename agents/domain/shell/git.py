"""git: where its verb stands, and what the table knows of that verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from agents.domain.shell.programs import table
from agents.domain.shell.values import ANY, Word

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
_OTHER_VERBS = frozenset({"flow", "init-db", "lfs", "pickaxe", "subtree"})
"""Verbs without a line in the table that are no alias all the same."""
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
    if at is None or (at < len(words) and words[at].text not in _known_verbs()):
        yield [words[0], _word(ANY, words[0])]
    elif 1 < at < len(words):
        yield [words[0], *words[at:]]


@cache
def _known_verbs() -> frozenset[str]:
    """Returns what git does not take for an alias: its own verbs come first."""
    return _OTHER_VERBS | _HELP | {name.split(" ")[1] for name in table() if name[:4] == "git "}


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
