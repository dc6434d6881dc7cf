"""Looks up where paths lead: of an open descriptor, or as a command in a sandbox finds it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workspaces.domain.entries import FileError
from workspaces.domain.paths import FOLDERS, Root, Where
from workspaces.domain.places import Place
from workspaces.domain.real_paths import Reaches, Real
from workspaces.domain.spelling import raw, spelled
from workspaces.files.beneath import FOLDER, opened, opened_folder
from workspaces.sandboxes.folders import Folders, folders_of

MOST_LINKS = 40
"""As many as the kernel follows in one path."""
MOST_NAMES = 1_000_000
"""Entries looked at for further names of one file; then nothing is opened."""
_GONE = " (deleted)"


class Replaced(Exception):
    """What was opened has no name any more: somebody put another file in its place."""


class OtherNames:
    """Further names of files, from one look at the folders that matter. For one call, in a thread.

    Raises FileError ("timeout") where there are too many files.
    """

    def __init__(self, folders: Folders, reaches: Reaches) -> None:
        self._folders = folders
        self._reaches = reaches
        self._known: dict[tuple[int, int], list[str]] | None = None

    def of(self, path: str, state: os.stat_result) -> tuple[str, ...]:
        """Returns the names of a regular file but `path`; none where the file has one name."""
        if not stat.S_ISREG(state.st_mode) or state.st_nlink == 1:
            return ()
        if self._known is None:
            self._known = self._look()
        names = self._known.get((state.st_dev, state.st_ino), [])
        return tuple(sorted(name for name in names if name != path))

    def _look(self) -> dict[tuple[int, int], list[str]]:
        found: dict[tuple[int, int], list[str]] = {}
        left = MOST_NAMES
        for where, state in _entries(self._folders, self._reaches):
            left -= 1
            if left < 0:
                raise FileError("timeout", "There are too many files to look for its other names.")
            if state.st_nlink > 1:
                found.setdefault((state.st_dev, state.st_ino), []).append(where.inside)
        return found


class RealPaths:
    """Where paths of one place lead, each looked up once. For one call, in a thread."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._found: dict[tuple[str, Reaches], Real] = {}
        self._folders: Folders | None = None
        self._names: dict[Reaches, OtherNames] = {}

    def __call__(self, path: str, reaches: Reaches) -> Real:
        """Returns what an absolute path of the sandbox names; what is not there, names itself.

        Raises FileError ("timeout") where there are too many files to look for further names.
        """
        if (path, reaches) not in self._found:
            self._found[path, reaches] = self._look(path, reaches)
        return self._found[path, reaches]

    @property
    def told(self) -> tuple[tuple[str, Real], ...]:
        """Returns what was asked for, and what it is."""
        found = ((path, real) for (path, _reaches), real in self._found.items())
        return tuple(sorted(found, key=lambda one: one[0]))

    def _look(self, path: str, reaches: Reaches) -> Real:
        folders = self._folders = self._folders or folders_of(self._place)
        names = self._names.setdefault(reaches, OtherNames(folders, reaches))
        real = _followed(folders, path)
        where = _where(real)
        state = None if where is None else _state(folders, where)
        return Real(real, () if state is None else names.of(real, state))


def leads_inside(folders: Folders, where: Where) -> Where | None:
    """Returns where the links of a place lead, full paths as the sandbox shows them included.

    None where that is outside of the folder it is in. It need not exist.
    """
    real = _where(_followed(folders, where.inside))
    return real if real is not None and real.root == where.root else None


def real_of(where: Where, root: int, descriptor: int, names: OtherNames) -> Real:
    """Returns what an open descriptor below the open folder `root` of `where` is.

    Raises `Replaced`; FileError ("timeout") as `RealPaths`.
    """
    state = os.fstat(descriptor)
    relative = _name_of(root, descriptor, state)
    path = Where(where.root, spelled(relative)).inside
    return Real(path, names.of(path, state))


def _name_of(root: int, descriptor: int, state: os.stat_result) -> str:
    """Returns the path below the root as the kernel knows it now, raw."""
    above, path = (str(Path(f"/proc/self/fd/{one}").readlink()) for one in (root, descriptor))
    if path == above:
        return ""
    relative = path.removeprefix(f"{above}/")
    if relative == path or state.st_nlink == 0:
        raise Replaced
    if path.endswith(_GONE):
        try:
            with opened(root, relative, os.O_PATH, links=False) as again:
                if os.path.samestat(os.fstat(again), state):
                    return relative
        except OSError:
            pass
        raise Replaced
    return relative


def _entries(folders: Folders, reaches: Reaches) -> Iterator[tuple[Where, os.stat_result]]:
    """Yields the regular files of workspace and home in folders that matter."""
    roots: tuple[Root, ...] = ("workspace", "home")
    for root in roots:
        waiting = [""]
        with _root(folders.under(root)) as top:
            while waiting and top is not None:
                folder = waiting.pop()
                if not reaches(Where(root, spelled(folder)).inside):
                    continue
                for name, state in _listed(top, folder):
                    path = f"{folder}/{name}" if folder else name
                    if stat.S_ISDIR(state.st_mode):
                        waiting.append(path)
                    elif stat.S_ISREG(state.st_mode):
                        yield Where(root, spelled(path)), state


def _listed(top: int, folder: str) -> list[tuple[str, os.stat_result]]:
    found: list[tuple[str, os.stat_result]] = []
    try:
        with (
            opened(top, folder, os.O_RDONLY | os.O_DIRECTORY, links=False) as descriptor,
            os.scandir(descriptor) as entries,
        ):
            found.extend((one.name, one.stat(follow_symlinks=False)) for one in entries)
    except OSError:  # gone or a link by now, or closed to the person's commands as well
        pass
    return found


def _followed(folders: Folders, path: str) -> str:
    """Follows every link of a path as a command in the sandbox would; it need not exist.

    Both paths are spelled.
    """
    waiting = _parts(path)
    current: list[str] = []
    links = 0
    while waiting:
        part = waiting.pop()
        if part == "..":
            del current[-1:]
            continue
        current.append(part)
        target = _link(folders, current)
        if target is None:
            continue
        links += 1
        if links > MOST_LINKS:  # nothing opens it
            return "/" + "/".join(_plain([*current, *reversed(waiting)]))
        current = [] if target.startswith("/") else current[:-1]
        waiting += _parts(target)
    return "/" + "/".join(current)


def _parts(path: str) -> list[str]:
    """Returns the parts of a path, the first one last."""
    return [part for part in reversed(path.split("/")) if part not in {"", "."}]


def _plain(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        else:
            kept.append(part)
    return kept


def _link(folders: Folders, parts: list[str]) -> str | None:
    """Returns where a link leads, None if this is none; the folders above it are no links."""
    where = _where("/" + "/".join(parts))
    if where is None or not where.path:
        return None
    above, name = where.split()
    try:
        with (
            opened_folder(folders.under(where.root)) as top,
            opened(top, raw(above), FOLDER, links=False) as parent,
        ):
            return spelled(os.readlink(raw(name), dir_fd=parent))
    except OSError:
        return None


def _state(folders: Folders, where: Where) -> os.stat_result | None:
    try:
        with (
            opened_folder(folders.under(where.root)) as top,
            opened(top, where.raw, os.O_PATH, links=False) as descriptor,
        ):
            return os.fstat(descriptor)
    except OSError:
        return None


def _where(path: str) -> Where | None:
    """Returns which of the shown folders a path is in, None for the rest of the sandbox."""
    for root, folder in FOLDERS.items():
        if path == folder or path.startswith(f"{folder}/"):
            return Where(root, path[len(folder) + 1 :])
    return None


@contextmanager
def _root(folder: Path) -> Iterator[int | None]:
    try:
        with opened_folder(folder) as descriptor:
            yield descriptor
    except FileNotFoundError:
        yield None
