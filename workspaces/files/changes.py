"""Changes: what happened below a folder since somebody last asked; the kernel writes it down."""

from __future__ import annotations

import ctypes
import errno
import os
import threading
from functools import cache
from pathlib import Path

from workspaces.files.beneath import opened, opened_folder
from workspaces.files.inotify import Event, Events
from workspaces.files.watch import SKIPPED

MOST_FOLDERS = 5_000
_READS = 100  # more than the kernel's longest queue (16,384 events) fills
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Gone, a link or a file meanwhile, or closed to us; a change of rights tells us of the last.
_HARMLESS = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV, errno.EACCES})
# ext, tmpfs, overlay, XFS, Btrfs, F2FS, ZFS: on others somebody else may write unheard.
_LOCAL = frozenset({0xEF53, 0x01021994, 0x794C7630, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1})


class Changes:
    """The changes below a folder, `.git` and `node_modules` left out. For threads.

    Raises OSError when it cannot hear of all changes: too many folders, no watch left, a file
    system that others write to.
    """

    def __init__(self, folder: Path) -> None:
        if not _is_local(folder):
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        self._folder = folder
        self._identity = _identity(folder)
        self._paths: dict[int, str] = {}
        self._files: set[str] = set()
        self._lock = threading.Lock()
        self._events = Events()
        self._closed = False
        self.lost = False
        self.folders = False
        try:
            self._watch_below("")
        except OSError:
            self.close()
            raise

    def collect(self) -> frozenset[str]:
        """Returns the files that were made, changed or removed since the last call.

        Sets `folders` if folders came, went or changed their rights, and `lost` if something was
        missed: then whoever asks has to look at everything again.
        """
        with self._lock:
            self._read_all()
            files, self._files = frozenset(self._files), set()
            return files

    def close(self) -> None:
        """Ends all watches."""
        with self._lock:
            self._events.close()
            self._closed = self.lost = True

    def _read_all(self) -> None:
        if self._closed or _identity(self._folder) != self._identity:
            self.lost = True
            return
        try:
            for _ in range(_READS):
                for event in self._events.read():
                    self._take(event)
        except OSError:  # more folders than can be watched
            self.lost = True

    def _take(self, event: Event) -> None:
        if event.lost:
            self.lost = True
        elif event.ended:
            self._paths.pop(event.watch, None)
        elif event.watch in self._paths and event.name not in SKIPPED:
            above = self._paths[event.watch]
            path = f"{above}/{event.name}" if above else event.name
            if event.is_folder or not event.name:
                self._take_folder(path.rstrip("/"), event)
            else:
                self._files.add(path)

    def _take_folder(self, path: str, event: Event) -> None:
        self.folders = True
        if event.moved_away:  # the watches below it have other names now
            self.lost = True
        elif event.name:
            self._watch_below(path)

    def _watch_below(self, path: str) -> None:
        waiting = [path]
        with opened_folder(self._folder) as root:
            while waiting:
                if len(self._paths) >= MOST_FOLDERS:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                try:
                    waiting += self._watch(root, waiting.pop())
                except OSError as error:
                    if error.errno not in _HARMLESS:
                        raise

    def _watch(self, root: int, path: str) -> list[str]:
        with opened(root, path, _FOLDER, links=False) as folder:
            self._paths[self._events.add(folder)] = path
            with os.scandir(folder) as entries:
                return [
                    f"{path}/{entry.name}" if path else entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED
                ]


def _identity(folder: Path) -> tuple[int, int]:
    state = folder.lstat()
    return state.st_dev, state.st_ino


def _is_local(folder: Path) -> bool:
    """Returns whether all who write to this folder's file system are on this machine."""
    about = (ctypes.c_long * 64)()  # struct statfs; its type comes first
    if _libc().statfs(os.fsencode(folder), about) != 0:
        raise OSError(ctypes.get_errno(), "no file system")
    return (about[0] & 0xFFFFFFFF) in _LOCAL


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
