"""The path somebody meant who named one that is not there, from what the folders hold."""

from __future__ import annotations

import os
from itertools import islice

from workspaces.domain.names import MOST_NAMES, lookalike, nearest, twin
from workspaces.domain.spelling import raw, spelled
from workspaces.files.beneath import opened


def nearest_path(root: int, path: str) -> tuple[str, bool]:
    """Returns the path below the open folder `root`, and whether it only looks like `path`.

    Both are spelled. A folder above must look like the one named; ("", False) where nothing is
    near. Raises OSError.
    """
    found: list[str] = []
    parts, alike = path.split("/"), True
    for at, part in enumerate(parts):
        names = _names(root, "/".join(found))
        meant = part if part in names else lookalike(part, names)
        if not meant and at == len(parts) - 1:
            meant, alike = nearest(part, names), False
        if not meant:
            return "", False
        found.append(meant)
    return "/".join(found), alike


def twin_path(root: int, path: str) -> tuple[str, str]:
    """Returns what would be named instead of a path that is not there, and how much of it is.

    That is where a part of it differs from a name that is there in no way that shows; ("", "")
    where none does. Raises OSError.
    """
    parts, found = path.split("/"), list[str]()
    for part in parts:
        names = _names(root, "/".join(found))
        meant = part if part in names else twin(part, names)
        if not meant:
            break
        found.append(meant)
    there, rest = "/".join(found), parts[len(found) :]
    return ("/".join((*found, *rest)), there) if found != parts[: len(found)] else ("", "")


def _names(root: int, folder: str) -> list[str]:
    with (
        opened(root, raw(folder), os.O_RDONLY | os.O_DIRECTORY, links=False) as descriptor,
        os.scandir(descriptor) as entries,
    ):
        return [spelled(one.name) for one in islice(entries, MOST_NAMES)]
