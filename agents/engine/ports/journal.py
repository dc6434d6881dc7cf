"""The journal: each step of a turn kept before the next begins, so that it can be taken up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from agents.domain.content.model_messages import ModelMessage, ToolResultBlock, ToolUseBlock

CallState = Literal["pending", "in_progress", "finished"]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call as the journal holds it; `unreadable` and `more` as in `ToolUse`."""

    call: ToolUseBlock
    part_index: int
    state: CallState = "pending"
    result: ToolResultBlock | None = None
    unreadable: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a turn stands: `messages` for the model, and the calls of the last step still open.

    While calls are open, all calls of the step are listed, in call order, and the last message is
    the assistant's that asked for them. `steps` counts the model's answers in this turn, `tokens`
    those of the messages.
    """

    messages: tuple[ModelMessage, ...]
    calls: tuple[RecordedCall, ...] = ()
    steps: int = 0
    tokens: int = 0


class Journal(Protocol):
    """Commits each step before the next begins, so that another process can take the turn up."""

    async def step_answered(
        self, message: ModelMessage, calls: tuple[RecordedCall, ...], tokens: int | None = None
    ) -> None:
        """The model answered; its tool calls are recorded as pending. `tokens`: of the message."""
        ...

    async def call_started(self, call_id: str) -> None:
        """The call begins to run: from now on it is never run again."""
        ...

    async def call_finished(self, call_id: str, result: ToolResultBlock) -> None:
        """The call is over."""
        ...

    async def results_joined(self, message: ModelMessage, tokens: int | None = None) -> None:
        """All results of the step, as the user message the model reads next."""
        ...
