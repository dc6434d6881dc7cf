"""SandboxStatus: how commands run in a place, in words for every page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from maia_web.lib.values import Value
from workspaces.sandboxes.cgroups import Cgroups

Runtime = Literal["local", "unconfined", "none"]


class SandboxStatus(Value):
    """`problem`: why commands do not run isolated; `note`: what people share here."""

    runtime: Runtime
    problem: str = ""
    note: str = ""
    network: Literal["none", "open"] = "none"


@dataclass(frozen=True, slots=True)
class Probed:
    """What the probe found: the bubblewrap that works, or the sentence that says why none does.

    `staged`: the data folder is below one that only root may enter, and is mounted elsewhere.
    `cgroups`: where the kernel bounds the memory of sandboxes, None where it is watched.
    """

    bwrap: str | None
    staged: bool = False
    problem: str = ""
    cgroups: Cgroups | None = None
