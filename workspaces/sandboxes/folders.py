"""Where the folders of a place are on disk, who owns them, and with which rights."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from workspaces.domain.identity import Identity
from workspaces.domain.paths import Root
from workspaces.domain.places import Place

_BASHRC = """\
# Read by every terminal of yours. Change it under My account, My files: no command can.
# ~/.bashrc is not read, for agents write there.
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
    """The folders a place reaches; `owner` is None where the server is not root.

    `settings` holds what the person sees as ~/.maia, in three folders: `files`, `skills`, `tools`.
    No sandbox reaches the folder itself, so that nobody replaces one of the three. `repositories`:
    those of the workspace that git must be told of, as a sandbox shows them. `identity`: whom git
    names in commits made there.
    """

    workspace: Path
    home: Path
    settings: Path
    owner: Owner | None
    team: Path | None = None
    repositories: tuple[str, ...] = ()
    identity: Identity | None = None

    def under(self, root: Root) -> Path:
        """Returns where paths below `root` are on disk."""
        if root == "workspace":
            return self.workspace
        if root == "home":
            return self.home
        if root == "team":
            return self.team or self.settings / "no-team"
        return self.settings / ("files" if root == "settings" else root)


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
        workspace=data / "workspaces" / place.workspace,
        home=data / "homes" / str(place.user),
        settings=data / "settings" / str(place.user),
        owner=owner,
        team=team_skills(),
    )
    if owner is None:
        _ensure(folders.workspace, 0o700, None)
    else:
        _ensure(folders.workspace, 0o2770, Owner(0, owner.gid))
    ensure_own(folders)
    return folders


def team_skills() -> Path | None:
    """Returns the folder of the team's skills, as far as every person's commands may read it."""
    data: Path = settings.DATA
    folder = data / "library" / "skills"
    try:
        rights = folder.stat().st_mode & folder.parent.stat().st_mode
    except OSError:
        return None
    if not folder.is_dir() or (os.geteuid() == 0 and not rights & 0o001):
        return None
    return folder


def ensure_own(folders: Folders) -> None:
    """Makes home and settings, and the empty folders in them over which others are mounted.

    Raises NotADirectoryError where one of these is something else: then nothing runs.
    """
    owner = Owner(folders.owner.uid, folders.owner.uid) if folders.owner else None
    _ensure(folders.home, 0o700, owner)
    _ensure(folders.settings, 0o711, Owner(0, 0) if owner else None)
    if not (folders.settings / "files").exists():
        _take_over(folders)
    _ensure(folders.settings / "files", 0o700, owner)
    for name in ("skills", "tools"):
        _ensure(folders.settings / name, 0o700, owner)
        _ensure(folders.settings / "files" / name, 0o700, owner)
    _ensure(folders.home / ".maia", 0o700, owner)
    if not (folders.settings / "files" / "bashrc").exists():
        _furnish(folders.settings / "files", owner)


def keep_gitconfig(folders: Folders, text: str) -> Path:
    """Keeps a person's settings of git where only the server writes and their commands read."""
    file = folders.settings / "gitconfig"
    content = text.encode()
    if not file.exists() or file.read_bytes() != content:
        made = file.with_name(f".gitconfig.{secrets.token_hex(6)}~")
        made.write_bytes(content)
        made.chmod(0o644)
        made.replace(file)
    return file


def _take_over(folders: Folders) -> None:
    """Moves a ~/.maia that lies in the home, as in earlier versions, to its folders beside it."""
    files = folders.under("settings")
    moves = [(folders.home / ".maia", files)]
    moves += [(files / name, folders.settings / name) for name in ("skills", "tools")]
    for old, new in moves:
        if old.is_dir() and not old.is_symlink():
            old.rename(new)


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
    made = False
    try:
        state = os.lstat(folder)
    except FileNotFoundError:  # looked at first: nearly always it is there
        made = _make(folder)
        state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError(folder)
    if owner is not None and (state.st_uid, state.st_gid) != (owner.uid, owner.gid):
        os.chown(folder, owner.uid, owner.gid, follow_symlinks=False)
    if stat.S_IMODE(state.st_mode) != mode:
        folder.chmod(mode)
    return made


def _make(folder: Path) -> bool:
    folder.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # another was first
        return False
    return True


def _furnish(folder: Path, owner: Owner | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        descriptor = os.open(folder / "bashrc", flags, 0o644)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_BASHRC)
        if owner is not None:
            os.fchown(descriptor, owner.uid, owner.uid)
