"""Place: one person in one workspace, the unit of isolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["owner", "editor", "viewer"]
Network = Literal["none", "filtered", "open"]


@dataclass(frozen=True, slots=True)
class Place:
    """Names a sandbox and a view of files: (workspace, user), by their ids only."""

    workspace: str
    workspace_number: int
    user: int
    network: Network = "none"


@dataclass(frozen=True, slots=True)
class WorkspaceAccess:
    """A workspace as one person reaches it."""

    id: str
    number: int
    name: str
    role: Role
    user: int
    personal: bool = False
    network: Network = "none"
    editors_answer: bool = False

    @property
    def place(self) -> Place:
        """The sandbox and files of this person here."""
        return Place(self.id, self.number, self.user, self.network)
