"""A tool: what the model may call, what it runs with, what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from agents.domain.content.parts import Diff, Location, PlanEntry, ToolKind
from agents.engine.ports.model import ToolSpec
from agents.engine.ports.workspace import Files
from workspaces.domain.commands import Sandbox


@dataclass(slots=True)
class TurnCounters:
    """Counts of one turn, kept by the tools themselves."""

    commands: int = 0
    file_ops: int = 0
    skills: int = 0


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use while it runs."""

    files: Files
    sandbox: Sandbox
    counters: TurnCounters
    emit_output: Callable[[str], None]
    model: str = ""
    language: str = "en"
    list_models: Callable[[], Awaitable[list[str]]] | None = None


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool answered: `text` for the model, the rest for people.

    `shown`: the text for people, where it differs. `exit_code`: of a command that ran.
    `definition`, of a preview: the digest of what a custom tool would run.
    """

    text: str
    is_error: bool = False
    diffs: tuple[Diff, ...] = ()
    locations: tuple[Location, ...] = ()
    plan: tuple[PlanEntry, ...] | None = None
    definition: str = ""
    shown: str = ""
    exit_code: int | None = None


class ToolFailure(Exception):
    """An ordinary failure: its text is the result the model reads, marked as an error."""


class Tool(Protocol):
    """A capability the model may call. Raises nothing but `ToolFailure`.

    What `read_input` returns is the one value that is judged, shown, kept and run: all other
    methods get it, `title` also what could not be read.
    """

    @property
    def spec(self) -> ToolSpec:
        """What the model is told: name, description, schema of the input."""
        ...

    @property
    def kind(self) -> ToolKind:
        """Which icon its cards get, and what an ACP client calls it."""
        ...

    @property
    def default_permission(self) -> Literal["auto", "ask"]:
        """What the specification says of a call that no rule speaks of."""
        ...

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        """Brings an input to its one form; says in a `ToolFailure` what is missing or invalid.

        Reading what was read gives the same.
        """
        ...

    def title(self, input: dict[str, Any]) -> str:
        """A short line for the card: the command, the path."""
        ...

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """Calls with the same key run one after the other, in call order (M §6.3)."""
        ...

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """What would happen, for the permission card: diffs and locations; changes nothing."""
        ...

    async def execute(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Does it."""
        ...
