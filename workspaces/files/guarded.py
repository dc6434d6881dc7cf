"""What agents may not touch: files that hold rules or keys, whatever link leads to them."""

from __future__ import annotations

from workspaces.domain.argv import RULES_FOLDER
from workspaces.domain.entries import FileError
from workspaces.domain.paths import Where
from workspaces.domain.real_paths import Real

WORKSPACE_RULES = f"{RULES_FOLDER}/settings.json"


def check_reading(where: Where) -> None:
    """Raises FileError ("secret") for what lies in ~/.maia itself, where keys may be."""
    if where.root == "settings" and where.path:
        raise FileError("secret", f"{where.display} may hold keys.")


def check_writing(where: Where) -> None:
    """Raises FileError ("protected") for anything in ~/.maia."""
    if where.root in ("settings", "skills", "tools"):
        raise FileError("protected", f"{where.display} is only changed by people.")


def check_spot(where: Where, real: Real) -> None:
    """Raises FileError ("protected") where writing would really write the workspace's rules."""
    if WORKSPACE_RULES in (where.inside, real.path, *real.others):
        raise FileError("protected", f"{where.display} leads to rules, which only people change.")


def rules_reach(folder: str) -> bool:
    """Says whether the workspace's rules may lie below a folder."""
    return f"{WORKSPACE_RULES}/".startswith(f"{folder}/")
