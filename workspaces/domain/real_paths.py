"""Real paths: what a path names once links are followed, and the check that judges it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

Reaches = Callable[[str], bool]
"""Says of a folder whether a further name of a file in it would matter."""


def everywhere(_folder: str) -> bool:
    """Reaches any folder: what is written may be obeyed under any name."""
    return True


@dataclass(frozen=True, slots=True)
class Real:
    """What a path names, as a command in the sandbox writes it.

    `path`: where symbolic links lead. `others`: further names of that file (hard links), as far as
    they lie in folders that matter.
    """

    path: str
    others: tuple[str, ...] = ()


class RealNames(Protocol):
    """Looks up where paths lead, each once; for one call, in a thread."""

    def __call__(self, path: str, reaches: Reaches) -> Real:
        """Returns what an absolute path of the sandbox names. Raises FileError ("timeout")."""
        ...

    @property
    def told(self) -> tuple[tuple[str, Real], ...]:
        """Returns what was asked for, and what it is."""
        ...


class PathCheck(Protocol):
    """Judges what was really opened, before anything is read or written."""

    def reaches(self, folder: str) -> bool:
        """Says whether a name in this folder would matter."""
        ...

    def opened(self, named: str, real: Real, *, reads: bool) -> None:
        """Raises FileError ("rule", "moved", "hidden") where `real` is not to be touched.

        `named`: what was asked for; `reads`: its content would be read.
        """
        ...

    @property
    def hides_any(self) -> bool:
        """Whether searches leave anything out."""
        ...

    def hides(self, real: Real) -> bool:
        """Says whether a search leaves this file out."""
        ...
