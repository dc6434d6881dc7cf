"""Lays the files of an archive into an empty data folder, and nothing anywhere else.

An archive may come from anybody: a member that is not below the folder, leads through a link, or is
a device, ends the restoring before anything of it is used.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from pathlib import Path

from django.utils.translation import gettext as _

from maia_web.management.backups import FILES, LOST, Refused, is_passing
from maia_web.management.backups.packer import OURS_LEVELS
from workspaces.files.beneath import FOLDER, open_beneath, opened, opened_folder

_LOOK = os.O_RDONLY | os.O_DIRECTORY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Unpacker:
    """One folder being filled. Links are made last, so that nothing is ever laid through one."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._folders: list[tarfile.TarInfo] = []
        self._links: list[tarfile.TarInfo] = []

    def take(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        """Lays one member; raises `Refused` for one that has no place here."""
        path = checked(member)
        if member.isdir():
            self._folder(path, member)
        elif member.isreg():
            self._file(path, archive, member)
        elif member.issym() or member.islnk():
            if path.count("/") < OURS_LEVELS:  # the server itself would follow it
                raise _strange(member)
            self._links.append(member)
        else:
            raise _strange(member)

    def finish(self) -> None:
        """Makes the links, then gives the folders their rights and times."""
        for member in self._links:
            self._link(checked(member), member)
        for member in reversed(self._folders):
            with opened(self._root, checked(member), _LOOK, links=False) as folder:
                _dress(folder, member)

    def _folder(self, path: str, member: tarfile.TarInfo) -> None:
        above, name = _split(path)
        with opened(self._root, above, FOLDER, links=False) as parent:
            os.mkdir(name, 0o700, dir_fd=parent)
        self._folders.append(member)

    def _file(self, path: str, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        content = archive.extractfile(member)
        if content is None:
            raise _strange(member)
        with os.fdopen(open_beneath(self._root, path, _NEW, 0o600, links=False), "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            _dress(file.fileno(), member)

    def _link(self, path: str, member: tarfile.TarInfo) -> None:
        above, name = _split(path)
        with opened(self._root, above, FOLDER, links=False) as parent:
            if member.issym():
                os.symlink(member.linkname, name, dir_fd=parent)
                if os.geteuid() == 0:
                    os.chown(name, member.uid, member.gid, dir_fd=parent, follow_symlinks=False)
                return
            first_above, first = _split(_below(member, member.linkname))
            with opened(self._root, first_above, FOLDER, links=False) as other:
                if not stat.S_ISREG(os.stat(first, dir_fd=other, follow_symlinks=False).st_mode):
                    raise _strange(member)
                os.link(first, name, src_dir_fd=other, dst_dir_fd=parent, follow_symlinks=False)


def unpack(archive: tarfile.TarFile, members: list[tarfile.TarInfo], data: Path) -> None:
    """Lays all members below `data`; raises `Refused`, and then leaves `data` empty."""
    try:
        with opened_folder(data) as root:
            unpacker = Unpacker(root)
            for member in members:
                unpacker.take(archive, member)
            unpacker.finish()
    except BaseException as error:
        empty(data)
        if isinstance(error, OSError | tarfile.TarError) and not _is_of_the_disk(error):
            raise Refused(
                _("The archive cannot be laid out: %(why)s. It is damaged, or not one of MAIA.")
                % {"why": error}
            ) from error
        raise


def empty(folder: Path) -> None:
    """Removes everything in a folder that is not its disk's."""
    for entry in folder.iterdir():
        if entry.name == LOST:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _is_of_the_disk(error: BaseException) -> bool:
    from maia_web.lib.storage import explain

    return explain(error) is not None


def checked(member: tarfile.TarInfo) -> str:
    """Returns where a member lies below the data folder; raises `Refused` if it does not."""
    path = _below(member, member.name)
    if is_passing(path.partition("/")[0]):
        raise _strange(member)
    return path


def _below(member: tarfile.TarInfo, name: str) -> str:
    path = name.removeprefix(FILES).rstrip("/")
    parts = path.split("/")
    if not name.startswith(FILES) or "\0" in path or {"", ".", ".."} & set(parts):
        raise _strange(member)
    return path


def _strange(member: tarfile.TarInfo) -> Refused:
    return Refused(
        _("%(name)s in the archive points outside the data folder; nothing was restored.")
        % {"name": ascii(member.name)[:200]}
    )


def _split(path: str) -> tuple[str, str]:
    above, _slash, name = path.rpartition("/")
    return above, name


def _dress(descriptor: int, member: tarfile.TarInfo) -> None:
    if os.geteuid() == 0:
        os.fchown(descriptor, member.uid, member.gid)
    # what runs with its owner's rights is never brought back; folders share their group
    os.fchmod(descriptor, member.mode & (0o3777 if member.isdir() else 0o1777))
    os.utime(descriptor, (member.mtime, member.mtime))
