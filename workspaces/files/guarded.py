"""What agents may not touch: files that hold rules or keys, whatever link leads to them."""

from __future__ import annotations

import os

from workspaces.domain.entries import FileError
from workspaces.domain.paths import Where
from workspaces.files.writing import Spot, find_spot

WORKSPACE_RULES = ".maia/settings.json"


def check_reading(where: Where) -> None:
    """Raises FileError ("secret") for what lies in ~/.maia itself, where keys may be."""
    if where.root == "settings" and where.path:
        raise FileError("secret", f"{where.display} may hold keys.")


def check_writing(where: Where, root: int) -> None:
    """Raises FileError ("protected") for anything in ~/.maia, and for the workspace's rules."""
    if where.root in ("settings", "skills", "tools"):
        raise FileError("protected", f"{where.display} is only changed by people.")
    if where.root == "workspace" and (
        where.path == WORKSPACE_RULES or _leads_to_rules(where, root)
    ):
        raise FileError("protected", f"{where.display} leads to rules, which only people change.")


def _leads_to_rules(where: Where, root: int) -> bool:
    """Returns whether both paths end at the same name of the same folder."""
    rules, wanted = _spot(root, WORKSPACE_RULES), _spot(root, where.path)
    try:
        if rules is None or wanted is None or rules.name != wanted.name:
            return False
        return os.path.samestat(os.fstat(rules.folder), os.fstat(wanted.folder))
    finally:
        for spot in (rules, wanted):
            if spot is not None:
                os.close(spot.folder)


def _spot(root: int, path: str) -> Spot | None:
    try:
        return find_spot(root, path, None, make_parents=False)
    except (OSError, FileError):
        return None
