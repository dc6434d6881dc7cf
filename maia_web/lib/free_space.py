"""How much room is left on the disk of what is kept, looked at before it is needed."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from maia_web.lib.errors import MaiaError

MB = 1024 * 1024
LEAST_MB = 32  # without so much a server does not begin


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


def shortage(place: Path | int, wanted: int = 0) -> str:
    """Returns why `wanted` bytes more should not be written there, "" when they may.

    MAIA_FREE_MB stay free, so that the server can keep what people say.
    """
    free = free_bytes(place)
    if free - wanted >= settings.FREE_MB * MB:
        return ""
    numbers = {"free": free // MB, "wanted": -(-wanted // MB), "kept": settings.FREE_MB}
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


def check_start(folder: Path) -> None:
    """Raises `NoRoom` where a server would soon have nothing left to write with."""
    free = free_bytes(folder)
    if free < LEAST_MB * MB:
        raise NoRoom(
            _(
                "Only %(free)d MB are free on the disk of %(folder)s; MAIA needs %(least)d to "
                "begin. Make room there, or choose another folder with MAIA_DATA."
            )
            % {"free": free // MB, "folder": folder, "least": LEAST_MB}
        )
