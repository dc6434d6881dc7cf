"""Checks: what was really opened is judged, before a byte of it is read or written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from workspaces.domain.entries import FileError
from workspaces.domain.paths import Where
from workspaces.domain.real_paths import PathCheck, Real
from workspaces.domain.spelling import spelled
from workspaces.files import guarded
from workspaces.files.beneath import opened
from workspaces.files.reads import OnOpen
from workspaces.files.real_paths import OtherNames, Replaced, real_of
from workspaces.files.writes import OnSpot
from workspaces.sandboxes.folders import Folders

_ATTEMPTS = 16
T = TypeVar("T")


class Checks:
    """What `check` says of descriptors; `for_agent`: the workspace's rules are not written."""

    def __init__(self, check: PathCheck | None, *, for_agent: bool) -> None:
        self._check = check
        self._for_agent = for_agent

    def on_open(self, where: Where, root: int, folders: Folders, *, reads: bool = True) -> OnOpen:
        """Returns what judges an open file or folder. It raises FileError and `Replaced`."""
        check = self._check

        def judge(descriptor: int) -> None:
            if check is not None:
                real = real_of(where, root, descriptor, OtherNames(folders, check.reaches))
                check.opened(where.inside, real, reads=reads)

        return judge

    def on_spot(self, where: Where, root: int, folders: Folders) -> OnSpot:
        """Returns what judges the place of a file that is to be written."""
        check = self._check

        def judge(folder: int, path: str, state: os.stat_result | None) -> None:
            if check is None and not self._for_agent:
                return
            names = OtherNames(folders, self._reaches)
            real = f"{real_of(where, root, folder, names).path}/{spelled(path)}"
            found = Real(real, () if state is None else names.of(real, state))
            if self._for_agent:
                guarded.check_spot(where, found)
            if check is not None:
                check.opened(where.inside, found, reads=False)

        return judge

    @property
    def hides_any(self) -> bool:
        """Whether searches leave anything out."""
        return self._check is not None and self._check.hides_any

    def names(self, folders: Folders) -> OtherNames:
        """Returns what finds further names, for many files at once."""
        return OtherNames(folders, self._reaches)

    def shows(self, root: int, names: OtherNames, where: Where) -> bool:
        """Says whether a search may show a file below the open folder `root`; a link is none."""
        if self._check is None:
            return True
        try:  # opened through no link, it is what it is called
            with opened(root, where.raw, os.O_PATH, links=False) as file:
                real = Real(where.inside, names.of(where.inside, os.fstat(file)))
        except OSError:
            return False
        return not self._check.hides(real)

    def _reaches(self, folder: str) -> bool:
        is_theirs = self._check is not None and self._check.reaches(folder)
        return is_theirs or (self._for_agent and guarded.rules_reach(folder))


def until_named(act: Callable[[], T]) -> T:
    """Does it again where the file was exchanged while it was opened."""
    for _attempt in range(_ATTEMPTS):
        try:
            return act()
        except Replaced:
            continue
    raise FileError("conflict", "The file is being replaced all the time.")
