"""The repositories of a workspace, for a git that must be told each one it may use."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from workspaces.domain.argv import WORKSPACE
from workspaces.domain.places import Place
from workspaces.sandboxes import programs
from workspaces.sandboxes.folders import Folders, folders_of

MAX_DEPTH = 4
MAX_FOLDERS = 2_000
"""Folders that are looked into; beyond, git itself says how to trust a repository."""
_KNOWS_FOLDERS = (2, 46)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages"})


def folders_with_repositories(place: Place) -> Folders:
    """Returns the folders of the place with the repositories below the workspace.

    None of these where all commands run under one uid, or git knows `safe.directory` with `*`.
    """
    folders = folders_of(place)
    if folders.owner is None or programs.git_version() >= _KNOWS_FOLDERS:
        return folders
    found = tuple(f"{WORKSPACE}/{path}" for path in _found(folders.workspace))
    return replace(folders, repositories=found)


def _found(workspace: Path) -> Iterator[str]:
    """Yields paths relative to the workspace; no link is followed, also one put there meanwhile."""
    for folder, below, files, _ in islice(os.fwalk(workspace), MAX_FOLDERS):
        path = os.path.relpath(folder, workspace)
        if path != "." and ".git" in (*below, *files):
            yield path
        depth = 0 if path == "." else path.count("/") + 1
        below[:] = sorted(filter(_is_open, below)) if depth < MAX_DEPTH else []


def _is_open(name: str) -> bool:
    return not _CONTROL.search(name) and not name.startswith(".") and name not in _PASSED_OVER
