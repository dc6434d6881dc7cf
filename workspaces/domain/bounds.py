"""Bounds: what a command may use together with all it starts, and how its end by one is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MB = 1024 * 1024
FILE_MB = 1024
TOO_LARGE_FILE = 25  # SIGXFSZ

Bound = Literal["memory", "written", "disk", "no-room", "frozen", "file-size"]

_SENTENCES: dict[Bound, tuple[str, str]] = {
    "memory": (
        "stopped: its processes used more than {mb} MB of memory together (MAIA_COMMAND_MEMORY_MB)",
        "arrêté : ses processus utilisaient ensemble plus de {mb} Mo de mémoire "
        "(MAIA_COMMAND_MEMORY_MB)",
    ),
    "written": (
        "stopped: it wrote more than {mb} MB to the disk (MAIA_COMMAND_WRITE_MB)",
        "arrêté : plus de {mb} Mo ont été écrits sur le disque (MAIA_COMMAND_WRITE_MB)",
    ),
    "disk": (
        "stopped: fewer than {mb} MB are left on the server's disk (MAIA_FREE_MB)",
        "arrêté : il reste moins de {mb} Mo sur le disque du serveur (MAIA_FREE_MB)",
    ),
    "no-room": (
        "not run: fewer than {mb} MB are left on the server's disk (MAIA_FREE_MB); people can "
        "still delete files, in a terminal or with !",
        "non exécuté : il reste moins de {mb} Mo sur le disque du serveur (MAIA_FREE_MB) ; les "
        "personnes peuvent encore supprimer des fichiers, dans un terminal ou avec !",
    ),
    "frozen": (
        "fewer than {mb} MB are left on the server's disk (MAIA_FREE_MB): reading and deleting "
        "work, writing does not",
        "il reste moins de {mb} Mo sur le disque du serveur (MAIA_FREE_MB) : lire et supprimer "
        "reste possible, pas écrire",
    ),
    "file-size": (
        "stopped: a file may have at most {mb} MB",
        "arrêté : un fichier a au plus {mb} Mo",
    ),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command and all it starts may use together, in MB; `free` must stay on the disk."""

    memory: int
    written: int
    free: int

    def of(self, bound: Bound) -> int:
        """Returns the number that belongs to a bound."""
        match bound:
            case "memory":
                return self.memory
            case "written":
                return self.written
            case "file-size":
                return FILE_MB
            case _:
                return self.free


@dataclass(frozen=True, slots=True)
class Reached:
    """A bound that was reached, and its number in MB."""

    bound: Bound
    mb: int

    def sentence(self, language: str) -> str:
        """Returns what happened, for people and models, without a full stop."""
        english, french = _SENTENCES[self.bound]
        return (french if language.startswith("fr") else english).format(mb=self.mb)
