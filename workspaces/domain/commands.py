"""CommandResult: what a command in a sandbox did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CommandResult:
    """`output`: stdout and stderr in the order they came; `status` says how the command ended.

    `dropped`: characters that came after the output was full.
    """

    output: str
    status: Literal["exited", "timeout", "cancelled", "not-started"]
    exit_code: int | None = None
    error: str = ""
    dropped: int = 0
