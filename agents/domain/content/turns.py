"""ClaimedTurn: everything a host must know to run or take up a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.content.leases import Lease
from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.parts import Part, PlanPart, TextPart, ThoughtPart
from agents.domain.content.remembered import Memory
from workspaces.domain.places import Place

MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A tool call of the last step as the journal holds it; `result` once it is over."""

    call_id: str
    name: str
    input: dict[str, object]
    part_index: int
    state: str
    result: dict[str, object] | None
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedTurn:
    """A turn that a host holds the lease of.

    `agent`: what it was called when the turn was claimed; `agent_key` stays. `agent_enabled`: an
    administrator has not switched it off.
    `memory` is what `session`, by its key, holds now. `model` was chosen with /model, "" for the
    site's; `session_model` is the one the session noted.
    """

    lease: Lease
    channel: str
    agent: str
    agent_key: int
    agent_enabled: bool
    agent_kind: str
    kind: str
    argument: str
    place: Place
    starter_language: str
    answer: str
    parts: tuple[Part, ...]
    session: int
    memory: Memory
    calls: tuple[OpenCall, ...]
    steps: int
    start_context: str
    pending: tuple[str, ...] = ()
    model: str = ""
    session_model: str = ""
    toolset: str = "maia"
    unread: bool = False
    cancel_asked: bool = False
    given_up: bool = False

    @property
    def id(self) -> str:
        """The turn's id."""
        return self.lease.turn

    @property
    def messages(self) -> tuple[ModelMessage, ...]:
        """What the model is sent."""
        return self.memory.messages


def parts_after_crash(parts: Sequence[Part], committed: int) -> tuple[Part, ...]:
    """Returns the parts a resumed turn builds on.

    What the last journal entry knew stays, and a plan that came after it. Text that had streamed
    after it stays readable, marked as interrupted; tool calls that were never recorded are
    dropped, the model will ask again.
    """
    later = (_after_crash(part) for part in parts[committed:])
    return (*parts[:committed], *(part for part in later if part is not None))


def _after_crash(part: Part) -> Part | None:
    if isinstance(part, TextPart | ThoughtPart):
        cut = part.model_copy(update={"interrupted": True})
        return cut if part.text.strip() else None
    return part if isinstance(part, PlanPart) else None
