"""Where the folders of a place are on disk, who owns them, and with which rights."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from workspaces.domain.places import Place

_BASHRC = """\
# Read by every interactive shell of yours; change it as you like.
PS1='\\[\\e[36m\\]\\w\\[\\e[0m\\] \\$ '
HISTSIZE=10000
HISTFILESIZE=20000
shopt -s histappend
PROMPT_COMMAND='history -a'
alias ls='ls --color=auto'
alias grep='grep --color=auto'
"""


@dataclass(frozen=True, slots=True)
class Owner:
    """The host's uid of a person and gid of a workspace."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Folders:
    """The two folders a place reaches; `owner` is None where the server is not root."""

    workspace: Path
    home: Path
    owner: Owner | None


def uid_base() -> int:
    """Returns the first of the uids and gids that people and workspaces get (MAIA_UID_BASE)."""
    return int(os.environ.get("MAIA_UID_BASE", "200000"))


def owner_of(place: Place) -> Owner | None:
    """Returns who owns what this person makes here, or None if the server is not root."""
    if os.geteuid() != 0:
        return None
    base = uid_base()
    return Owner(base + place.user, base + place.workspace_number)


def folders_of(place: Place) -> Folders:
    """Returns the folders of the place, made on first use, with their owner and rights."""
    data: Path = settings.DATA
    owner = owner_of(place)
    folders = Folders(
        data / "workspaces" / place.workspace, data / "homes" / str(place.user), owner
    )
    if owner is None:
        _ensure(folders.workspace, 0o700, None)
        made = _ensure(folders.home, 0o700, None)
    else:
        _ensure(folders.workspace, 0o2770, Owner(0, owner.gid))
        made = _ensure(folders.home, 0o700, Owner(owner.uid, owner.uid))
    if made:
        _furnish(folders.home, owner)
    return folders


def trash_workspace(workspace: str) -> Path | None:
    """Moves a workspace's folder to DATA/trash/<moment>-<workspace>; only the server enters there.

    Returns where it is now, None if there was none.
    """
    data: Path = settings.DATA
    trash = data / "trash"
    trash.mkdir(mode=0o700, exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        return (data / "workspaces" / workspace).rename(trash / f"{moment}-{workspace}")
    except FileNotFoundError:
        return None


def _ensure(folder: Path, mode: int, owner: Owner | None) -> bool:
    """Makes the folder as it should be; returns whether it is new."""
    folder.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
        made = True
    except FileExistsError:
        made = False
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError(folder)
    if owner is not None and (state.st_uid, state.st_gid) != (owner.uid, owner.gid):
        os.chown(folder, owner.uid, owner.gid, follow_symlinks=False)
    if stat.S_IMODE(state.st_mode) != mode:
        folder.chmod(mode)
    return made


def _furnish(home: Path, owner: Owner | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        descriptor = os.open(home / ".bashrc", flags, 0o644)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_BASHRC)
        if owner is not None:
            os.fchown(descriptor, owner.uid, owner.uid)
