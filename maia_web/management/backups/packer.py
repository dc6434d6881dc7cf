"""Writes the files of a data folder into an archive while people go on changing them.

No link is followed below the first two levels, whoever puts one there meanwhile: everything is
opened beneath the folder, by descriptors. What disappears is left out; what shrinks is filled up.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from maia_web.management.backups import FILES, is_passing
from workspaces.files.beneath import open_beneath, opened_folder

# `workspaces`, `homes` and the like, and each folder in them, are the administrator's: they may be
# links to another disk.
OURS_LEVELS = 2
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class Packer:
    """One walk through a data folder."""

    def __init__(self, archive: tarfile.TarFile, data: Path) -> None:
        self._archive = archive
        self._data = data
        self._seen: dict[tuple[int, int], str] = {}
        self.files = 0
        self.unread: list[str] = []

    def pack(self) -> None:
        """Adds everything but the database."""
        for path in entries_of(self._data):
            self._top(path)

    def _top(self, path: Path, level: int = 1) -> None:
        """An entry of the upper levels, links followed."""
        try:
            state = path.stat()
            if not stat.S_ISDIR(state.st_mode):
                self._small(path, state)
                return
            self._archive.addfile(self._info(path.relative_to(self._data).as_posix(), state))
            if level < OURS_LEVELS:
                for below in sorted(path.iterdir()):
                    self._top(below, level + 1)
                return
            with opened_folder(path.resolve()) as root:
                self._below(root, path.relative_to(self._data).as_posix())
        except OSError:
            self.unread.append(str(path))

    def _small(self, path: Path, state: os.stat_result) -> None:
        if stat.S_ISREG(state.st_mode):
            with path.open("rb") as file:
                self._file(path.relative_to(self._data).as_posix(), file, state)

    def _below(self, root: int, prefix: str) -> None:
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                for name, state in _listed(root, folder):
                    path = f"{folder}/{name}".lstrip("/")
                    if stat.S_ISDIR(state.st_mode):
                        self._archive.addfile(self._info(f"{prefix}/{path}", state))
                        folders.append(path)
                    else:
                        self._entry(root, path, prefix, state)
            except OSError:
                self.unread.append(f"{prefix}/{folder}")

    def _entry(self, root: int, path: str, prefix: str, state: os.stat_result) -> None:
        name = f"{prefix}/{path}"
        if stat.S_ISLNK(state.st_mode):
            info = self._info(name, state)
            info.type, info.linkname = tarfile.SYMTYPE, _target(root, path)
            self._archive.addfile(info)
        elif stat.S_ISREG(state.st_mode):
            try:
                descriptor = open_beneath(root, path, _READ, links=False)
            except OSError:
                self.unread.append(name)
                return
            with os.fdopen(descriptor, "rb") as file:
                now = os.fstat(descriptor)
                if stat.S_ISREG(now.st_mode):
                    self._file(name, file, now)

    def _file(self, name: str, file: IO[bytes], state: os.stat_result) -> None:
        info = self._info(name, state)
        first = self._seen.get((state.st_dev, state.st_ino)) if state.st_nlink > 1 else None
        if first is not None:
            info.type, info.linkname, info.size = tarfile.LNKTYPE, first, 0
            self._archive.addfile(info)
            return
        self._seen[state.st_dev, state.st_ino] = info.name
        self._archive.addfile(info, _Filled(file))  # type: ignore[arg-type]  # only read() is used
        self.files += 1

    def _info(self, name: str, state: os.stat_result) -> tarfile.TarInfo:
        info = tarfile.TarInfo(f"{FILES}{name}")
        info.mode = stat.S_IMODE(state.st_mode)
        info.uid, info.gid = state.st_uid, state.st_gid
        info.mtime = state.st_mtime
        if stat.S_ISDIR(state.st_mode):
            info.type = tarfile.DIRTYPE
        elif stat.S_ISREG(state.st_mode):
            info.size = state.st_size
        return info


class _Filled:
    """Gives as many bytes as the archive was promised, also of a file that shrank meanwhile."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        return self._file.read(size).ljust(size, b"\0")


def entries_of(data: Path) -> list[Path]:
    """Returns what a backup keeps of a data folder beside the rows."""
    return [path for path in sorted(data.iterdir()) if not is_passing(path.name)]


def size_of(data: Path) -> int:
    """Returns about how many bytes the files are; for the look at free space."""
    total = 0
    for top in entries_of(data):
        for folder, _folders, names in os.walk(top):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (fast)
                except OSError:
                    continue
    return total


def _listed(root: int, folder: str) -> Iterator[tuple[str, os.stat_result]]:
    descriptor = open_beneath(root, folder, os.O_RDONLY | os.O_DIRECTORY, links=False)
    try:
        for name in sorted(os.listdir(descriptor)):  # noqa: PTH208 (a descriptor is no path)
            try:
                yield name, os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue
    finally:
        os.close(descriptor)


def _target(root: int, path: str) -> str:
    above, _, name = path.rpartition("/")
    parent = open_beneath(root, above, os.O_PATH | os.O_DIRECTORY, links=False)
    try:
        return os.readlink(name, dir_fd=parent)
    finally:
        os.close(parent)
