"""Reads regular files and lists folders, below an open folder, with limits."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable

from workspaces.domain.entries import Entry, FileError
from workspaces.files.beneath import FOLDER, opened

MAX_ENTRIES = 10_000
_READ = os.O_RDONLY | os.O_NONBLOCK  # a named pipe must not hold us up
_CHUNK = 1 << 20


def version_of(content: bytes) -> str:
    """Returns what identifies a content: it is the same only for the same bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


OnOpen = Callable[[int], None]
"""Is given what was opened before anything of it is read; raises FileError to refuse it."""


def _anything(_descriptor: int) -> None:
    """Refuses nothing."""


def read_regular(
    folder: int, path: str, max_bytes: int, *, links: bool = True, on_open: OnOpen = _anything
) -> bytes:
    """Returns the content of a regular file; raises OSError, FileError ("too-large", …)."""
    with opened(folder, path, _READ, links=links) as descriptor:
        on_open(descriptor)
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise FileError("is-a-folder", f"{path or 'This'} is a folder.")
        if not stat.S_ISREG(state.st_mode):
            raise FileError("not-a-file", f"{path} is not a regular file.")
        if state.st_size > max_bytes:
            raise _too_large(path, max_bytes)
        return _read_all(descriptor, path, max_bytes)


def _read_all(descriptor: int, path: str, max_bytes: int) -> bytes:
    chunks: list[bytes] = []
    room = max_bytes + 1  # it may have grown since fstat
    while room > 0 and (chunk := os.read(descriptor, min(_CHUNK, room))):
        chunks.append(chunk)
        room -= len(chunk)
    if room <= 0:
        raise _too_large(path, max_bytes)
    return b"".join(chunks)


def _too_large(path: str, max_bytes: int) -> FileError:
    return FileError("too-large", f"{path} has more than {max_bytes:,} bytes.")


def as_text(path: str, content: bytes) -> str:
    """Returns the content as text; raises FileError ("binary")."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise FileError("binary", f"{path} is not UTF-8 text.") from error
    if "\0" in text:
        raise FileError("binary", f"{path} is not text.")
    return text


def list_folder(folder: int, path: str, on_open: OnOpen = _anything) -> tuple[Entry, ...]:
    """Returns the entries of a folder, folders first, then by name (seed S); at most 10,000."""
    with opened(folder, path, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        on_open(descriptor)
        entries: list[Entry] = []
        with os.scandir(descriptor) as found:
            for entry in found:
                if len(entries) >= MAX_ENTRIES:
                    break
                described = _entry(folder, descriptor, path, entry.name)
                if described is not None:
                    entries.append(described)
    return tuple(sorted(entries, key=lambda one: (not one.dir, one.name.casefold(), one.name)))


def _entry(folder: int, parent: int, path: str, name: str) -> Entry | None:
    try:
        state = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:  # gone meanwhile
        return None
    link = stat.S_ISLNK(state.st_mode)
    full = f"{path}/{name}" if path else name
    shown = os.fsencode(name).decode(errors="replace")
    return Entry(
        name=shown,
        path=f"{path}/{shown}" if path else shown,
        dir=_leads_to_folder(folder, full) if link else stat.S_ISDIR(state.st_mode),
        size=state.st_size,
        mod_time=state.st_mtime,
        link=link,
    )


def _leads_to_folder(folder: int, path: str) -> bool:
    try:
        with opened(folder, path, FOLDER):
            return True
    except OSError:
        return False
