"""The gate: whether a call of a tool may run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from agents.domain.content.model_messages import ToolUseBlock
from agents.engine.ports.tools import ToolOutput


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may run; with `input` that a person edited, which `note` tells the model."""

    input: dict[str, Any] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not run; `text` is the result for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class StopAsked:
    """A person answered "stop": this call and the following do not run (M §6.2)."""


Decision = Allowed | Refused | StopAsked


class Gate(Protocol):
    """Decides each call: by rule, else by asking people."""

    async def decide(
        self,
        call: ToolUseBlock,
        part_index: int,
        preview: ToolOutput,
        recorded: ToolUseBlock | None = None,
    ) -> Decision:
        """Waits for as long as people need.

        `recorded`: the call as an earlier version of MAIA kept it and may have asked about it.
        """
        ...
