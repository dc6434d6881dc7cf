"""Opens and renames what cannot lead out of a folder, whatever anybody renames meanwhile."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_OPENAT2 = 437  # the same number on every architecture
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_ATTEMPTS = 64
_NO_REPLACE = 1
FOLDER = os.O_PATH | os.O_DIRECTORY


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _openat2(folder: int, path: bytes, flags: int, mode: int, resolve: int) -> int:
    how = _How(flags, mode, resolve)
    for _attempt in range(_ATTEMPTS):
        descriptor: int = _libc().syscall(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(folder),
            ctypes.c_char_p(path),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if descriptor >= 0:
            return descriptor
        number = ctypes.get_errno()
        if number not in {errno.EAGAIN, errno.EINTR}:  # EAGAIN: somebody renamed meanwhile
            raise OSError(number, os.strerror(number))
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


@cache
def has_openat2() -> bool:
    """Returns whether this kernel (and what filters its calls) offers openat2."""
    try:
        os.close(_openat2(_root_of_all(), b".", FOLDER | os.O_CLOEXEC, 0, _BENEATH))
    except OSError:
        return False
    return True


@cache
def _root_of_all() -> int:
    return os.open("/", FOLDER | os.O_CLOEXEC)


def open_beneath(folder: int, path: str, flags: int, mode: int = 0, *, links: bool = True) -> int:
    """Opens `path` below the open `folder` and returns a descriptor; "" is the folder itself.

    Links are followed as long as they stay below, never with `links=False` (nor on kernels
    without openat2). Raises OSError; EXDEV or ELOOP: it would lead outside.
    """
    flags |= os.O_CLOEXEC if flags & os.O_PATH else os.O_CLOEXEC | os.O_NOCTTY
    if has_openat2():
        resolve = _BENEATH | _NO_MAGICLINKS | (0 if links else _NO_SYMLINKS)
        return _openat2(folder, os.fsencode(path) or b".", flags, mode, resolve)
    return walk_beneath(folder, path, flags, mode)


def walk_beneath(folder: int, path: str, flags: int, mode: int = 0) -> int:
    """Opens `path` part by part without following any link: the road without openat2."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    current = os.open(".", FOLDER | os.O_CLOEXEC, dir_fd=folder)
    try:
        for part in parts[:-1]:
            below = os.open(part, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
            os.close(current)
            current = below
        name = parts[-1] if parts else "."
        descriptor = os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=current)
    finally:
        os.close(current)
    if flags & os.O_PATH and stat.S_ISLNK(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return descriptor


@contextmanager
def opened_folder(path: Path) -> Iterator[int]:
    """Opens one of our own folders as the root of what follows."""
    descriptor = os.open(path, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened(
    folder: int, path: str, flags: int, mode: int = 0, *, links: bool = True
) -> Iterator[int]:
    """Opens below the folder as open_beneath, and closes afterwards."""
    descriptor = open_beneath(folder, path, flags, mode, links=links)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def rename_free(parent: int, name: str, new: str) -> None:
    """Gives an entry of an open folder a name that is free; raises OSError (EEXIST: it is not)."""
    old, other = os.fsencode(name), os.fsencode(new)
    if _libc().renameat2(parent, old, parent, other, _NO_REPLACE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
