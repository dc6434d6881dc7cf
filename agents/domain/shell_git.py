"""git: where its verb stands, and what the table knows of that verb."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain.shell_values import Word

_FLAGS = frozenset(
    {
        "--no-pager", "-P", "--version", "--help", "--no-replace-objects", "--bare",
        "--literal-pathspecs", "--no-optional-locks",
    }
)  # fmt: skip


def git_verb(words: Sequence[Word]) -> int | None:
    """Returns where the verb stands in `words`, or their number if there is none.

    None: an option before it says where git works or what it runs, or only bash knows.
    """
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-C":
            at += 2
        elif words[at].text in _FLAGS:
            at += 1
        else:
            return None
    return at if all(word.is_static for word in words[1 : at + 1]) else None
