"""Ports: what the loop needs from the world, as Protocols; adapters hold no policy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.domain.content.events import TurnEvent
from agents.domain.content.model_messages import ModelMessage, ToolResultBlock, ToolUseBlock
from agents.domain.content.parts import Diff, Location, PlanEntry, ToolKind
from agents.engine.clock import Clock, SystemClock
from workspaces.domain.commands import CommandResult
from workspaces.domain.entries import FileText, FoundFile

# --- the model -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What the model is told of a tool; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call of the model."""

    system: str
    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A complete tool call, emitted at the end of the stream.

    `unreadable`: how its arguments begin where they are no JSON object; the input is empty then.
    """

    id: str
    name: str
    input: dict[str, Any]
    unreadable: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class UsageDelta:
    """Tokens the server counted."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Retrying:
    """The server was busy or broken before any token arrived; tried again after `delay` seconds."""

    attempt: int
    delay: float
    reason: str


ModelStopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "other"]


@dataclass(frozen=True, slots=True)
class Done:
    """The stream is over. `cut`: the answer was cut by the output limit (M §7.2)."""

    stop_reason: ModelStopReason
    cut: bool = False


StreamEvent = TextDelta | ThoughtDelta | ToolUse | UsageDelta | Retrying | Done


class ProviderError(Exception):
    """The model could not answer. `code` is stable; `message` says what to do, in words.

    Codes: unreachable, unauthorized, rate-limited, context-too-long, bad-request, server-error,
    stream-error, cut-off, not-a-stream, no-model.
    """

    def __init__(self, code: str, message: str, details: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class Provider(Protocol):
    """A model behind some server."""

    model: str

    def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Yields the events of one answer, ended by `Done`; raises `ProviderError`."""
        ...


# --- tools ---------------------------------------------------------------------------------


class Sandbox(Protocol):
    """Runs commands isolated, as one person in one workspace."""

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        max_output: int,
        on_output: Callable[[str], None] | None = None,
        env: dict[str, str] | None = None,
        cwd: str = ".",
    ) -> CommandResult:
        """Runs `argv` in the folder `cwd` of the workspace; stdout and stderr come merged.

        `timeout` in seconds, `max_output` in characters. Cancelling the awaiting task kills the
        command and everything it started.
        """
        ...


class Files(Protocol):
    """The files one person reaches in one workspace: its folder, and `~` for their home."""

    def display(self, path: str) -> str:
        """Returns the normalised path, relative to the workspace or beginning with `~/`.

        Raises `FileError` ("outside", "invalid-path") without touching the disk.
        """
        ...

    async def read(self, path: str, *, max_bytes: int) -> FileText:
        """Reads a UTF-8 text file; raises `FileError`."""
        ...

    async def write(self, path: str, text: str, *, version: str | None = None) -> FileText:
        """Writes atomically, making parent folders; with `version`, only if it still is that one.

        `version` "" means: only if the file does not exist.
        """
        ...

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        """Files below `path` that match the glob, newest first, `.gitignore` respected."""
        ...

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        """Runs ripgrep with `arguments` on `path`, which it puts last, and returns its output.

        "" where nothing is found. Raises `FileError`: "invalid-pattern" with ripgrep's own words
        when it refuses the arguments.
        """
        ...

    async def shown(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths a search found which the rules let it show."""
        ...


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

    `definition`, of a preview: the digest of what a custom tool would run.
    """

    text: str
    is_error: bool = False
    diffs: tuple[Diff, ...] = ()
    locations: tuple[Location, ...] = ()
    plan: tuple[PlanEntry, ...] | None = None
    definition: str = ""


class ToolFailure(Exception):
    """An ordinary failure: its text is the result the model reads, marked as an error."""


class Tool(Protocol):
    """A capability the model may call. Raises nothing but `ToolFailure`.

    What `read_input` returns is the one value that is judged, shown, kept and run: all other
    methods get it, `title` also what could not be read.
    """

    spec: ToolSpec
    kind: ToolKind
    default_permission: Literal["auto", "ask"]

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


# --- the gate, the journal, the sink ----------------------------------------------------------


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


CallState = Literal["pending", "in_progress", "finished"]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call as the journal holds it; `unreadable` as in `ToolUse`, until it is told."""

    call: ToolUseBlock
    part_index: int
    state: CallState = "pending"
    result: ToolResultBlock | None = None
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a turn stands: `messages` for the model, and the calls of the last step still open.

    While calls are open, all calls of the step are listed, in call order, and the last message is
    the assistant's that asked for them. `steps` counts the model's answers in this turn.
    """

    messages: tuple[ModelMessage, ...]
    calls: tuple[RecordedCall, ...] = ()
    steps: int = 0


class Journal(Protocol):
    """Commits each step before the next begins, so that another process can take the turn up."""

    async def step_answered(self, message: ModelMessage, calls: tuple[RecordedCall, ...]) -> None:
        """The model answered; its tool calls are recorded as pending."""
        ...

    async def call_started(self, call_id: str) -> None:
        """The call begins to run: from now on it is never run again."""
        ...

    async def call_finished(self, call_id: str, result: ToolResultBlock) -> None:
        """The call is over."""
        ...

    async def results_joined(self, message: ModelMessage) -> None:
        """All results of the step, as the user message the model reads next."""
        ...


class Sink(Protocol):
    """Takes the events of a turn."""

    async def emit(self, event: TurnEvent) -> None:
        """Returns quickly; never raises for a slow reader."""
        ...


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """Everything one turn runs with. `language` is the one the model reads: "en" or "fr"."""

    provider: Provider
    system: str
    tools: tuple[Tool, ...]
    gate: Gate
    journal: Journal
    sink: Sink
    tool_context: Callable[[ToolUseBlock, Callable[[str], None]], ToolContext]
    max_steps: int = 50
    max_tokens: int | None = None
    count_tokens: Callable[[ChatRequest], int] | None = None
    count_text: Callable[[str], int] | None = None
    language: str = "en"
    clock: Clock = field(default_factory=SystemClock)
