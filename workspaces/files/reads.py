"""Reads regular files and lists folders, below an open folder, with limits."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from workspaces.domain.entries import Entry, FileError
from workspaces.domain.spelling import spelled
from workspaces.files.beneath import opened

MAX_ENTRIES = 10_000
_READ = os.O_RDONLY | os.O_NONBLOCK  # a named pipe must not hold us up
_CHUNK = 1 << 20

T = TypeVar("T")


def version_of(content: bytes) -> str:
    """Returns what identifies a content: it is the same only for the same bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


OnOpen = Callable[[int], None]
"""Is given what was opened before anything of it is read; raises FileError to refuse it."""


def _anything(_descriptor: int) -> None:
    """Refuses nothing."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Tells a file from what it was: `path` on this machine, and what no program can set back.

    The change time is that of content, name and rights, in nanoseconds; a modification time could
    be set back.
    """

    path: str
    device: int
    inode: int
    size: int
    changed_ns: int


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A regular file that is open, and whose opening was judged."""

    stamp: Stamp
    shown: str
    descriptor: int
    max_bytes: int

    @classmethod
    def of(cls, path: str, shown: str, descriptor: int, max_bytes: int) -> OpenFile:
        """Looks at what was opened; raises FileError ("is-a-folder", "not-a-file", "too-large")."""
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise FileError("is-a-folder", f"{shown or 'This'} is a folder.")
        if not stat.S_ISREG(state.st_mode):
            raise FileError("not-a-file", f"{shown} is not a regular file.")
        if state.st_size > max_bytes:
            raise _too_large(shown, max_bytes)
        stamp = Stamp(path, state.st_dev, state.st_ino, state.st_size, state.st_ctime_ns)
        return cls(stamp, shown, descriptor, max_bytes)

    def content(self) -> bytes:
        """Reads it, from the beginning; raises OSError, FileError ("too-large")."""
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        return _read_all(self.descriptor, self.shown, self.max_bytes)


def use_regular(
    folder: int,
    path: str,
    max_bytes: int,
    use: Callable[[OpenFile], T],
    *,
    above: str = "",
    links: bool = True,
    on_open: OnOpen = _anything,
) -> T:
    """Returns what `use` makes of a regular file; `above`: the path of the folder.

    Raises OSError, FileError ("too-large", …).
    """
    with opened(folder, path, _READ, links=links) as descriptor:
        on_open(descriptor)
        return use(OpenFile.of(f"{above}/{path}", path, descriptor, max_bytes))


def read_regular(
    folder: int, path: str, max_bytes: int, *, links: bool = True, on_open: OnOpen = _anything
) -> bytes:
    """Returns the content of a regular file; raises OSError, FileError ("too-large", …)."""
    return use_regular(folder, path, max_bytes, OpenFile.content, links=links, on_open=on_open)


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


LeadsToFolder = Callable[[str], bool]
"""Says of a link in a folder, by its name, whether a folder is behind it."""


def list_folder(
    folder: int,
    path: str,
    leads_to_folder: LeadsToFolder,
    *,
    shown: str = "",
    on_open: OnOpen = _anything,
) -> tuple[Entry, ...]:
    """Returns the entries of a folder, folders first, then by name (seed S); at most 10,000.

    Their paths begin with `shown`, as it is spelled.
    """
    with opened(folder, path, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        on_open(descriptor)
        entries: list[Entry] = []
        with os.scandir(descriptor) as found:
            for entry in found:
                if len(entries) >= MAX_ENTRIES:
                    break
                described = _entry(descriptor, shown, entry.name, leads_to_folder)
                if described is not None:
                    entries.append(described)
    return tuple(sorted(entries, key=lambda one: (not one.dir, one.name.casefold(), one.name)))


def _entry(parent: int, above: str, name: str, leads_to_folder: LeadsToFolder) -> Entry | None:
    try:
        state = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:  # gone meanwhile
        return None
    link = stat.S_ISLNK(state.st_mode)
    shown = spelled(name)
    return Entry(
        name=shown,
        path=f"{above}/{shown}" if above else shown,
        dir=leads_to_folder(name) if link else stat.S_ISDIR(state.st_mode),
        size=state.st_size,
        mod_time=state.st_mtime,
        link=link,
    )
