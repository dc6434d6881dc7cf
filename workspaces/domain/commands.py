"""CommandResult: what a command in a sandbox did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workspaces.domain.bounds import Reached


@dataclass(frozen=True, slots=True)
class CommandResult:
    """`output`: stdout and stderr in the order they came; `status` says how the command ended.

    `dropped`: characters that came after the output was full. `reached`: the bound that ended the
    command (always with "bound"), or that it ran under.
    """

    output: str
    status: Literal["exited", "timeout", "cancelled", "not-started", "bound"]
    exit_code: int | None = None
    error: str = ""
    dropped: int = 0
    reached: Reached | None = None
