"""Searches: a Grep call as ripgrep's arguments, and ripgrep's output as the model reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from workspaces.domain.argv import WORKSPACE
from workspaces.domain.glob_expressions import readings, without_bytes
from workspaces.domain.spelling import in_words, spelled

MODES = ("files_with_matches", "content", "count")
MAX_COLUMNS = 500
MAX_CONTEXT = 1_000
HEAD_LIMIT = 250
_ALWAYS = (
    "--no-config",
    "--no-messages",
    "--color=never",
    "--no-heading",
    "--with-filename",
    "--null",
    "--hidden",
    "--no-require-git",
    "--engine=auto",
    "--crlf",  # "$" matches before either line end
    "--max-filesize=2M",
)
_NUMBER = re.compile(r"(\d+)([:-])")
_BINARY = re.compile(r': binary file matches \(found "\\0" byte around offset \d+\)$')
_NEVER_SEARCHED = ("--glob=!.git", "--glob=!node_modules")


@dataclass(frozen=True, slots=True)
class Search:
    """A Grep call (seed M §8). `head_limit` 0 means all."""

    pattern: str
    path: str = "."
    glob: str = ""
    mode: str = "files_with_matches"
    ignore_case: bool = False
    numbered: bool = True
    before: int = 0
    after: int = 0
    head_limit: int = HEAD_LIMIT


def search_of(input: dict[str, Any]) -> Search:
    """Returns the call of an input that was read."""
    around = input.get("-C", 0)
    return Search(
        pattern=input["pattern"],
        path=input["path"],
        glob=input.get("glob", ""),
        mode=input.get("output_mode", MODES[0]),
        ignore_case=input.get("-i", False),
        numbered=input.get("-n", True),
        before=input.get("-B", around),
        after=input.get("-A", around),
        head_limit=input.get("head_limit", HEAD_LIMIT),
    )


def ripgrep_arguments(search: Search) -> tuple[str, ...]:
    """Returns the arguments, the path left out. What the model wrote is always behind a "="."""
    chosen = ["--ignore-case"] if search.ignore_case else []
    if search.mode == "files_with_matches":
        chosen.append("--files-with-matches")
    elif search.mode == "count":
        chosen.append("--count")
    else:
        chosen += [
            "--line-number" if search.numbered else "--no-line-number",
            f"--before-context={search.before}",
            f"--after-context={search.after}",
            f"--max-columns={4 * MAX_COLUMNS}",  # bytes: a character has at most four
            "--max-columns-preview",
        ]
    return (
        *_ALWAYS,
        *chosen,
        *_glob(search.glob),
        *_NEVER_SEARCHED,
        f"--regexp={search.pattern}",
    )


def read_matches(output: str, search: Search) -> dict[str, list[str]]:
    """Returns the lines for the model of each file found."""
    if search.mode == "files_with_matches":
        paths = (spelled(path.removeprefix("./")) for path in output.split("\0")[:-1])
        return {path: [path] for path in paths}
    files: dict[str, list[str]] = {}
    path, begun = None, ""
    for row in output.split("\n"):
        name, found, text = row.partition("\0")
        if found:
            path, begun = spelled(f"{begun}{name}".removeprefix("./")), ""
            files.setdefault(path, []).append(_line(path, text, search))
        elif path is not None and row == "--":
            files[path].append(row)
        elif row and not _BINARY.search(row):  # the first part of a name that has a line's end
            begun += f"{row}\n"
    return {path: _trimmed(lines) for path, lines in files.items()}


def _line(path: str, text: str, search: Search) -> str:
    """Returns `path:12:text`, or `path-13-text` for a line around a match."""
    text = in_words(text.removesuffix("\r"))
    numbered = search.mode == "content" and search.numbered
    found = _NUMBER.match(text) if numbered else None
    between, number = (found[2], f"{found[1]}{found[2]}") if found else (":", "")
    rest = text[found.end() :] if found else text
    cut = f"{rest[:MAX_COLUMNS]}…" if len(rest) > MAX_COLUMNS else rest
    return f"{path}{between}{number}{cut}"


def _trimmed(lines: list[str]) -> list[str]:
    return lines[:-1] if lines[-1] == "--" else lines


def _glob(glob: str) -> tuple[str, ...]:
    """A plain `--glob` would search ignored files too; a file type, which has no folders, not.

    The workspace's full path means its root; sets are looked for as they are written, too.
    """
    glob = without_bytes(glob.removeprefix(WORKSPACE) if glob.startswith(f"{WORKSPACE}/") else glob)
    name = glob.removeprefix("**/")
    if not name or "\0" in glob:
        return ()
    if "/" in name or name.startswith("!"):
        return tuple(f"--glob={one}" for one in readings(glob))
    return (*(f"--type-add=asked:{one}" for one in readings(name)), "--type=asked")
