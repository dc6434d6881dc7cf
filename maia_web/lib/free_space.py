"""How much room is left on the disk of what is kept, looked at before it is needed."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from maia_web.lib.errors import MaiaError

MB = 1024 * 1024
# What the server itself keeps writing with, when people and agents may write no more.
SERVERS_MB = 32


class NoRoom(MaiaError):
    """So little space is left that what was asked for is not begun."""

    status = 507
    code = "no-space"


def free_bytes(place: Path | int) -> int:
    """Returns what this account may still write on the disk of `place`.

    `place` is an open descriptor, or a path that need not exist yet. Raises OSError.
    """
    if isinstance(place, Path):
        place = next(each for each in (place, *place.parents) if each.exists())
    disk = os.statvfs(place)
    return disk.f_bavail * disk.f_frsize


def shortage(place: Path | int, wanted: int = 0, *, kept_mb: int | None = None) -> str:
    """Returns why `wanted` bytes should not be written there, "" when they may.

    `kept_mb` stay free: MAIA_FREE_MB, unless said otherwise.
    """
    kept = settings.FREE_MB if kept_mb is None else kept_mb
    free = free_bytes(place)
    if free - wanted >= kept * MB:
        return ""
    numbers = {"free": free // MB, "wanted": -(-wanted // MB), "kept": kept}
    if wanted < MB:
        return (
            _(
                "Only %(free)d MB are free on the disk of MAIA's data, and %(kept)d stay free "
                "(MAIA_FREE_MB). Delete what is not needed any more, or ask an administrator for "
                "room."
            )
            % numbers
        )
    return (
        _(
            "This needs %(wanted)d MB. Only %(free)d MB are free on the disk of MAIA's data, and "
            "%(kept)d stay free (MAIA_FREE_MB). Delete what is not needed any more, or ask an "
            "administrator for room."
        )
        % numbers
    )


def check(place: Path | int, wanted: int = 0, *, kept_mb: int | None = None) -> None:
    """Raises `NoRoom` where `shortage` says why."""
    why = shortage(place, wanted, kept_mb=kept_mb)
    if why:
        raise NoRoom(why)
