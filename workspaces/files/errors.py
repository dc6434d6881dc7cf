"""Turns what the operating system answers into FileError, in one place."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from workspaces.domain.entries import FileError

_CODES: dict[int, tuple[str, str]] = {
    errno.ENOENT: ("not-found", "{} does not exist."),
    errno.ENOTDIR: ("not-found", "{} does not exist: a part of its path is not a folder."),
    errno.EXDEV: ("outside", "{} leads outside the workspace."),
    errno.ELOOP: ("outside", "{} is a link that is not followed."),
    errno.ENAMETOOLONG: ("invalid-path", "{}: the name is too long."),
    errno.EINVAL: ("invalid-path", "{} is not a path."),
    errno.ENOSPC: ("no-space", "{}: there is no space left."),
    errno.EDQUOT: ("no-space", "{}: there is no space left."),
    errno.EISDIR: ("is-a-folder", "{} is a folder."),
    errno.ENOTEMPTY: ("exists", "{} is not empty."),
    errno.EEXIST: ("exists", "{} exists already."),
    errno.ENXIO: ("not-a-file", "{} is not a file."),
}


@contextmanager
def file_errors(path: str) -> Iterator[None]:
    """Raises FileError about `path` for an OSError inside."""
    try:
        yield
    except OSError as error:
        code, text = _CODES.get(error.errno or 0, ("denied", "{}: access was denied."))
        shown = path if len(path) <= 200 else f"{path[:200]}…"
        raise FileError(code, text.format(shown or "This folder")) from error
