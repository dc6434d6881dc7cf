"""Deletes into the person's trash (freedesktop.org, in their home), else for good (seed S)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from datetime import datetime
from urllib.parse import quote

from workspaces.files.beneath import FOLDER, opened
from workspaces.files.writes import make_folders
from workspaces.sandboxes.folders import Owner

TRASH = ".local/share/Trash"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMES = 1_000


def move_to_trash(parent: int, name: str, shown: str, home: int, owner: Owner | None) -> bool:
    """Moves an entry of the open folder `parent` to the trash; False if that cannot be.

    `name`, and `shown`, where it was, are raw.
    """
    try:
        make_folders(home, f"{TRASH}/files", owner)
        make_folders(home, f"{TRASH}/info", owner)
        with (
            opened(home, f"{TRASH}/files", FOLDER, links=False) as files,
            opened(home, f"{TRASH}/info", FOLDER, links=False) as info,
        ):
            kept = _note(info, name, shown, owner)
            try:
                os.rename(name, kept, src_dir_fd=parent, dst_dir_fd=files)
            except OSError:
                os.unlink(f"{kept}.trashinfo", dir_fd=info)
                raise
    except FileNotFoundError:
        raise
    except OSError:  # another disk, or a trash that is no plain folder
        return False
    return True


def _note(info: int, name: str, shown: str, owner: Owner | None) -> str:
    """Writes the file that says where the entry was, under a free name, and returns that name."""
    stem = name[:200]
    while len(os.fsencode(stem)) > 200:
        stem = stem[:-1]
    for number in range(1, _NAMES):
        kept = stem if number == 1 else f"{stem}.{number}"
        try:
            descriptor = os.open(f"{kept}.trashinfo", _NEW, 0o600, dir_fd=info)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            when = datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
            file.write(f"[Trash Info]\nPath={quote(os.fsencode(shown))}\nDeletionDate={when}\n")
            if owner is not None:
                os.fchown(descriptor, owner.uid, -1)
        return kept
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))


def delete_for_good(parent: int, name: str) -> None:
    """Deletes an entry of an open folder, with its content, without following links."""
    state = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISDIR(state.st_mode):
        with opened(parent, ".", os.O_RDONLY | os.O_DIRECTORY) as readable:
            shutil.rmtree(name, dir_fd=readable)
    else:
        os.unlink(name, dir_fd=parent)
