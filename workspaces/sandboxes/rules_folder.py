"""A workspace's `.maia` in a sandbox: a mount of its own, so that no command renames or removes it.

Agents' commands see it read-only but for the folders in it: its `settings.json` holds rules. What
is mounted is named by descriptors, for a path below a workspace is everybody's to exchange.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from workspaces.domain.argv import RULES_FOLDER, RULES_NAME
from workspaces.sandboxes.folders import Folders, Owner

SETTINGS = "settings.json"
MOST_FOLDERS = 64
"""Folders below `.maia` that agents' commands may write in; further ones are read-only to them."""
_ABOVE = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class RulesFolder:
    """Open descriptors: `folder` for `.maia` (None: it is not mounted), `inner` for those in it."""

    folder: int | None = None
    inner: dict[str, int] = field(default_factory=dict)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """All of them, for the process that mounts them."""
        return (*(() if self.folder is None else (self.folder,)), *self.inner.values())

    @property
    def places(self) -> dict[int, str]:
        """Where each is, from the workspace's folder."""
        found = {number: f"{RULES_NAME}/{name}" for name, number in self.inner.items()}
        return found if self.folder is None else {self.folder: RULES_NAME, **found}

    def close(self) -> None:
        """Closes them where no process took them."""
        for descriptor in self.descriptors:
            os.close(descriptor)


def open_rules_folder(folders: Folders, *, own: bool) -> RulesFolder:
    """Makes `.maia` where there is none and opens it; the caller closes it.

    `own`: for a person's command, which may change all in it, and runs also where `.maia` is a
    file or a link: to put that right. An agent's does not: raises NotADirectoryError.
    """
    with _opened(folders.workspace, _ABOVE) as workspace:
        with suppress(FileExistsError):
            os.mkdir(RULES_NAME, 0o755, dir_fd=workspace)
            _share(workspace, folders.owner)
        try:
            folder = os.open(RULES_NAME, _FOLDER, dir_fd=workspace)
        except OSError as error:
            if own:
                return RulesFolder()
            raise NotADirectoryError(
                f"{RULES_FOLDER} must be a folder, not a link or a file: until a person puts that "
                "right, agents run no commands here."
            ) from error
    found = RulesFolder(folder)
    if not own:
        try:
            _make_single(folder)
            found.inner.update(_inner(folder))
        except OSError:
            found.close()
            raise
    return found


def _inner(folder: int) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as entries:
        names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    for name in names[:MOST_FOLDERS]:
        with suppress(OSError):  # gone or a link by now, or closed to us: it stays read-only
            yield name, os.open(name, _ABOVE, dir_fd=folder)


def _make_single(folder: int) -> None:
    """Replaces a settings file that has a second name, which a command could write, by a copy."""
    try:
        state = os.stat(SETTINGS, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(state.st_mode) or state.st_nlink == 1:
        return
    copy = f".{SETTINGS}.{secrets.token_hex(6)}~"
    with (
        os.fdopen(os.open(SETTINGS, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as old,
        os.fdopen(os.open(copy, _NEW, 0o600, dir_fd=folder), "wb") as new,
    ):
        while chunk := old.read(1 << 20):
            new.write(chunk)
        if os.geteuid() == 0:
            os.fchown(new.fileno(), state.st_uid, state.st_gid)
        os.fchmod(new.fileno(), stat.S_IMODE(state.st_mode) & 0o777)
    os.rename(copy, SETTINGS, src_dir_fd=folder, dst_dir_fd=folder)


def _share(workspace: int, owner: Owner | None) -> None:
    """Gives the new folder to the person and the members, as everything in the workspace."""
    if owner is not None:
        os.chown(RULES_NAME, owner.uid, owner.gid, dir_fd=workspace, follow_symlinks=False)
        folder = os.open(RULES_NAME, _FOLDER, dir_fd=workspace)
        try:
            os.fchmod(folder, 0o2775)
        finally:
            os.close(folder)


@contextmanager
def _opened(path: os.PathLike[str], flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
