"""Writes files atomically below an open folder: whole or not at all, never through a way out."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from maia_web.lib import free_space
from workspaces.domain.entries import FileError
from workspaces.files.beneath import FOLDER, open_beneath, opened
from workspaces.files.reads import read_regular, version_of
from workspaces.sandboxes.folders import Owner

_MAX_LINKS = 16
_PATIENCE = 10.0
_PAUSE = 0.01
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a file really is: its open folder, and its name there (not a link)."""

    folder: int
    name: str
    state: os.stat_result | None


def find_spot(root: int, path: str, owner: Owner | None, *, make_parents: bool) -> Spot:
    """Follows links at the end of `path` as far as they stay below; the caller closes `folder`."""
    parent, _, name = path.rpartition("/")
    for _hop in range(_MAX_LINKS):
        if name in {"", ".", ".."}:
            raise FileError("is-a-folder", f"{path or 'This'} is a folder.")
        folder = _open_parent(root, parent, owner, make_parents)
        try:
            target = os.readlink(name, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.EINVAL:  # not a link
                return Spot(folder, name, os.stat(name, dir_fd=folder, follow_symlinks=False))
            if error.errno == errno.ENOENT:
                return Spot(folder, name, None)
            os.close(folder)
            raise
        os.close(folder)
        if target.startswith("/"):
            break
        above, _, name = target.rpartition("/")
        parent = f"{parent}/{above}".strip("/") if above else parent
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def _open_parent(root: int, parent: str, owner: Owner | None, make: bool) -> int:
    try:
        return open_beneath(root, parent, FOLDER)
    except FileNotFoundError:
        if not make:
            raise
    make_folders(root, parent, owner)
    return open_beneath(root, parent, FOLDER)


def make_folders(root: int, path: str, owner: Owner | None) -> None:
    """Makes a folder and those above it."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        with opened(root, "/".join(parts[: count - 1]), FOLDER) as parent:
            make_folder(parent, parts[count - 1], owner, exist_ok=True)


def make_folder(parent: int, name: str, owner: Owner | None, *, exist_ok: bool = False) -> None:
    """Makes one folder in an open one, shared with the members like its parent."""
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        if not exist_ok:
            raise
        return
    with opened(parent, name, os.O_RDONLY | os.O_DIRECTORY, links=False) as made:
        state = os.fstat(made)
        if owner is not None and state.st_uid == 0:  # ours: nobody else here makes such a one
            os.fchown(made, owner.uid, -1)
            os.fchmod(made, stat.S_IMODE(state.st_mode) & 0o2000 | 0o775)


OnSpot = Callable[[int, str, os.stat_result | None], None]
"""Is given an open folder, a path below it and what stands there, before anything is made."""


def _anywhere(_folder: int, _path: str, _state: os.stat_result | None) -> None:
    """Refuses nothing."""


def write_file(
    root: int,
    path: str,
    content_after: Callable[[bytes], bytes],
    owner: Owner | None,
    *,
    version: str | None = None,
    on_spot: OnSpot = _anywhere,
) -> str:
    """Replaces or makes a file and returns its new version; the caller holds the lock.

    With `version`: only if the file still is that one ("": only if there is none), else FileError
    ("conflict"); `content_after` is given what it holds (without: b""). `on_spot` raises FileError
    to refuse the place.
    """
    spot = _checked_spot(root, path, owner, on_spot)
    try:
        _check_regular(path, spot.state)
        before = b"" if version is None else _content(spot)
        if version is not None and version != _version(spot, before):
            raise FileError("conflict", f"{path} was changed meanwhile.")
        content = content_after(before)
        temporary = write_beside(spot, [content], owner)
        try:
            os.rename(temporary, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
        except OSError:
            os.unlink(temporary, dir_fd=spot.folder)
            raise
    finally:
        os.close(spot.folder)
    return version_of(content)


def _checked_spot(root: int, path: str, owner: Owner | None, on_spot: OnSpot) -> Spot:
    """Finds the place and has it checked; folders are made only where they may be."""
    try:
        spot = find_spot(root, path, owner, make_parents=False)
    except FileNotFoundError:
        _check_missing(root, path, on_spot)
        spot = find_spot(root, path, owner, make_parents=True)
    try:
        on_spot(spot.folder, spot.name, spot.state)
    except BaseException:
        os.close(spot.folder)
        raise
    return spot


def _check_missing(root: int, path: str, on_spot: OnSpot) -> None:
    """Has the place of a file checked whose folder is not there yet."""
    parts = path.split("/")
    for count in range(len(parts) - 1, -1, -1):
        try:
            with opened(root, "/".join(parts[:count]), FOLDER) as folder:
                on_spot(folder, "/".join(parts[count:]), None)
                return
        except FileNotFoundError:
            continue


def _check_regular(path: str, state: os.stat_result | None) -> None:
    if state is None or stat.S_ISREG(state.st_mode):
        return
    if stat.S_ISDIR(state.st_mode):
        raise FileError("is-a-folder", f"{path} is a folder.")
    raise FileError("not-a-file", f"{path} is not a regular file.")


def _content(spot: Spot) -> bytes:
    if spot.state is None:
        return b""
    return read_regular(spot.folder, spot.name, spot.state.st_size + (1 << 20))


def _version(spot: Spot, content: bytes) -> str:
    return "" if spot.state is None else version_of(content)


def write_beside(spot: Spot, chunks: Iterable[bytes], owner: Owner | None) -> str:
    """Writes a temporary file in the spot's folder and returns its name."""
    if free_space.shortage(spot.folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    temporary = f".{spot.name[:40]}.{secrets.token_hex(6)}~"
    descriptor = os.open(temporary, _NEW | os.O_CLOEXEC, 0o600, dir_fd=spot.folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            _dress(descriptor, spot.state, owner)
            os.fsync(descriptor)
    except BaseException:
        os.unlink(temporary, dir_fd=spot.folder)
        raise
    return temporary


def _dress(descriptor: int, old: os.stat_result | None, owner: Owner | None) -> None:
    """Gives a new file its rights: those of the one it replaces, else those of its folder."""
    if owner is not None:
        uid, gid = (owner.uid, -1) if old is None else (old.st_uid, old.st_gid)
        os.fchown(descriptor, uid, gid)
    default = 0o644 if owner is None else 0o664
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777 if old is not None else default)


def create_file(parent: int, name: str, owner: Owner | None) -> None:
    """Makes an empty file with a new name in an open folder."""
    descriptor = os.open(name, _NEW | os.O_CLOEXEC, 0o600, dir_fd=parent)
    try:
        _dress(descriptor, None, owner)
    finally:
        os.close(descriptor)


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Holds the lock of one of our folders, by a file beside it that no sandbox reaches."""
    descriptor = os.open(folder.parent / f".{folder.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise FileError("denied", "The folder is busy; try again.") from None
            time.sleep(_PAUSE)
        else:
            return
