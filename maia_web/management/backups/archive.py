"""The archive of a site: the manifest, the rows, then the files; private from its first byte."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

from maia_web.lib import config, free_space
from maia_web.lib.database import database_name
from maia_web.management.backups import FORMAT, LOST, MANIFEST, Refused, rows, unpacker
from maia_web.management.backups.packer import Packer, size_of

KEY = "secret-key"


@dataclass(frozen=True)
class Kept:
    """What a backup came to: bytes of the archive, number of files, what could not be read."""

    bytes: int
    files: int
    unread: list[str]
    has_key: bool


def write(target: Path) -> Kept:
    """Writes everything the site keeps into a new file; raises `Refused`, and leaves none then."""
    data: Path = settings.DATA
    target = target.absolute()
    _check_target(target, data)
    with _private(target) as (file, beside):
        rows.take_out(beside / "rows")
        with tarfile.open(fileobj=file, mode="w|") as archive:
            _add(archive, MANIFEST, json.dumps(_manifest()).encode())
            archive.add(beside / "rows", rows.member_name())
            packer = Packer(archive, data)
            packer.pack()
        file.flush()
        os.fsync(file.fileno())
        written = file.tell()
    return Kept(written, packer.files, packer.unread, (data / KEY).exists())


def read(source: Path) -> int:
    """Restores an archive into the empty data folder and database; returns the number of files.

    Raises `Refused`; the folder is then as empty as it was.
    """
    data: Path = settings.DATA
    _check_empty(data)
    connection.close()
    unpacker.empty(data)  # of what this command has made on its way here
    try:
        return _read(source, data)
    except BaseException:
        connection.close()
        unpacker.empty(data)
        raise


def _read(source: Path, data: Path) -> int:
    with _opened(source) as archive:
        members = _members(archive, source)
        rows.check_empty()
        free_space.check_start(data)
        _check_room(data, sum(one.size for one in members))
        unpacker.unpack(archive, members[2:], data)
        with tempfile.TemporaryDirectory(dir=data, prefix="probe-") as folder:
            copy = Path(folder) / "rows"
            _lay(archive, members[1], copy)
            rows.put_back(copy)
    return sum(one.isreg() for one in members[2:])


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    try:
        archive = tarfile.open(source, mode="r:*")  # noqa: SIM115 (closed below)
    except (OSError, tarfile.TarError) as error:
        raise Refused(
            _("%(file)s cannot be read as a backup of MAIA: %(why)s")
            % {"file": source, "why": error}
        ) from error
    with archive:
        yield archive


def _manifest() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": settings.VERSION,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "migrations": sorted(f"{app}.{name}" for app, name in _applied()),
    }


def _applied() -> set[tuple[str, str]]:
    return set(MigrationLoader(connection).applied_migrations)


def _members(archive: tarfile.TarFile, source: Path) -> list[tarfile.TarInfo]:
    """Returns the members of an archive that this site can take; raises `Refused`."""
    try:
        members = archive.getmembers()
        told = archive.extractfile(MANIFEST)
        manifest = json.load(told) if told else {}
        known = manifest["format"] == FORMAT and members[0].name == MANIFEST
        migrations = set(manifest["migrations"])
    except (KeyError, IndexError, TypeError, ValueError, OSError, tarfile.TarError) as error:
        raise Refused(_("%(file)s is damaged, or no backup of MAIA.") % {"file": source}) from error
    have = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if not known or migrations - have:
        raise Refused(
            _("%(file)s was made by a later MAIA (%(version)s). Restore it with that release.")
            % {"file": source, "version": ascii(manifest.get("version"))}
        )
    if len(members) < 2 or members[1].name != rows.member_name() or not members[1].isreg():
        raise Refused(
            _(
                "The rows of %(file)s are not of the kind of %(database)s: set DATABASE_URL as it "
                "was when the backup was made."
            )
            % {"file": source, "database": database_name()}
        )
    for member in members[2:]:
        unpacker.checked(member)
    return members


def _check_target(target: Path, data: Path) -> None:
    if target.exists() or target.is_symlink():
        raise Refused(_("%(file)s exists already; choose another name.") % {"file": target})
    if not target.parent.is_dir():
        raise Refused(_("%(folder)s is no folder.") % {"folder": target.parent})
    if target.parent.resolve().is_relative_to(data):
        raise Refused(
            _("%(file)s would lie in the folder that is kept (%(data)s); choose another one.")
            % {"file": target, "data": data}
        )
    _check_room(target.parent, 2 * rows.size() + size_of(data))


def _check_room(folder: Path, wanted: int) -> None:
    free = free_space.free_bytes(folder)
    if free < wanted:
        raise Refused(
            _("This needs %(wanted)d MB, and %(free)d MB are free on the disk of %(folder)s.")
            % {
                "wanted": -(-wanted // free_space.MB),
                "free": free // free_space.MB,
                "folder": folder,
            }
        )


def _check_empty(data: Path) -> None:
    """Raises `Refused` for anything but what this very command has made on its way here."""
    known = config.made_now | {data / LOST}
    there = sorted(entry.name for entry in data.iterdir() if entry not in known)
    if there:
        raise Refused(
            _(
                "%(data)s is not empty (%(there)s). Restore into a new folder: name it in "
                "MAIA_DATA, or move the present one away."
            )
            % {"data": data, "there": ", ".join(there[:5])}
        )


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o600
    archive.addfile(info, io.BytesIO(content))


def _lay(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = archive.extractfile(member)
    if content is None:
        raise Refused(_("%(file)s is damaged, or no backup of MAIA.") % {"file": member.name})
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(content, file)


@contextmanager
def _private(target: Path) -> Iterator[tuple[Any, Path]]:
    """Gives a new file that only its owner reads, which gets its name when it is whole."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        beside = Path(folder)  # 0700
        descriptor = os.open(beside / "archive", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w+b") as file:
            yield file, beside
        try:
            os.link(beside / "archive", target)  # never over a file that came meanwhile
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links
            (beside / "archive").rename(target)
