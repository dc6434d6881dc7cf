"""Links with full paths: `/workspace/docs/A.md` is inside, as the kernel cannot know."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from workspaces.domain.paths import Where
from workspaces.files.real_paths import leads_inside
from workspaces.sandboxes.folders import Folders

_ATTEMPTS = 8
# ENOTDIR: a link on the way, for a kernel without openat2
_LED_OUT = frozenset({errno.EXDEV, errno.ELOOP, errno.ENOTDIR})
T = TypeVar("T")


def through_links(folders: Folders, where: Where, act: Callable[[str], T]) -> T:
    """Returns what `act` makes of the path below its folder, as the kernel is told it.

    Where a link leads out as the kernel sees it, its steps are looked up as a command in the
    sandbox would go them; if they end inside, `act` is given that end. It opens nothing outside
    all the same: a link put there meanwhile is looked up again, then refused. Raises OSError.
    """
    path = where.raw
    for attempt in range(_ATTEMPTS):
        try:
            return act(path)
        except OSError as error:
            real = leads_inside(folders, where) if error.errno in _LED_OUT else None
            if real is None or real.raw == path or attempt == _ATTEMPTS - 1:
                raise
            path = real.raw
    raise AssertionError("unreachable")
