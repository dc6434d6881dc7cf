"""Run, what a sandbox is asked to run, and CommandResult, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from workspaces.domain.bounds import Reached

OnOutput = Callable[[str], None]
"""Hears the output piece by piece, as it comes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One command that is not interactive: `argv`, started without a shell in the folder `cwd`.

    `timeout` in seconds; `max_output` in characters: what comes after is counted and thrown away,
    or, with `stop_when_full`, ends the command at once. `env` is added to the sandbox's own.
    `names`: the output is names of files, raw; of others, bytes that are no UTF-8 are spelled.
    """

    argv: tuple[str, ...]
    timeout: float
    max_output: int
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "."
    stop_when_full: bool = False
    names: bool = False


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


class Sandbox(Protocol):
    """Runs commands as one person in one workspace, isolated as the workspace's runtime does it."""

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        """Runs it to its end; raises nothing but CancelledError.

        Cancelling the caller kills the command and everything it started: SIGTERM, then SIGKILL
        after a second (seed M §8).
        """
        ...
