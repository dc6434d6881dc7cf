"""Files as values: what a folder lists, what an opened file holds, why an operation failed."""

from __future__ import annotations

from dataclasses import dataclass

from workspaces.domain.spelling import in_words


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder (seed S, "Fichiers"): size in bytes, mod_time in seconds."""

    name: str
    path: str
    dir: bool
    size: int
    mod_time: float
    link: bool = False


@dataclass(frozen=True, slots=True)
class FileText:
    """A text file as it is now; `version` identifies the content, `encoding` names its bytes'."""

    path: str
    text: str
    version: str
    encoding: str = "UTF-8"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file met while walking: path relative to the workspace, mtime in nanoseconds."""

    path: str
    mtime: int


class FileError(Exception):
    """A file operation was refused or failed; `code` is stable, the message in plain English.

    Codes: outside, not-found, is-a-folder, not-a-file, binary, too-large, conflict, exists,
    no-space, denied, encoding (it lacks a character of the text), kept (it is not to be deleted),
    invalid-path, invalid-pattern, timeout; to agents also: protected (only people write there),
    secret (only people read that). Of "not-found": `lookalike`, a path that differs from the one
    named in signs that look the same, or else `nearest`; `twin`: what the path would be below or
    beside names that differ from it in no way that shows.
    """

    def __init__(
        self, code: str, message: str, *, lookalike: str = "", nearest: str = "", twin: str = ""
    ) -> None:
        message = in_words(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.lookalike = lookalike
        self.nearest = nearest
        self.twin = twin
