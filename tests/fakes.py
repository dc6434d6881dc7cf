"""Stand-ins for the ports of the engine: in memory, scripted, recording."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any, Literal

from agents.domain.content.events import PartDelta, PartReplaced, PartStarted, TurnEvent
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.model_messages import ModelMessage, ToolResultBlock, ToolUseBlock
from agents.domain.content.parts import Part, ToolKind
from agents.domain.memory.tokens import count_text
from agents.engine.ports.journal import Progress, RecordedCall
from agents.engine.ports.model import ChatRequest, Done, StreamEvent, TextDelta, ToolSpec, ToolUse
from agents.engine.ports.permissions import Allowed, Decision
from agents.engine.ports.tokens import Count
from agents.engine.ports.tools import Tool, ToolContext, ToolOutput, TurnCounters
from agents.engine.ports.workspace import Files
from agents.engine.setup import TurnSetup
from workspaces.domain.commands import CommandResult, OnOutput, Run, Sandbox
from workspaces.domain.entries import FileError, FileText, FoundFile


class FakeClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> str:
        return f"2026-01-01T00:00:{self.seconds:06.3f}Z"

    def steady(self) -> float:
        return self.seconds


class ListSink:
    """Keeps the events, and the parts they make."""

    def __init__(self, parts: tuple[Part, ...] = ()) -> None:
        self.events: list[TurnEvent] = []
        self.live = LiveParts(parts)
        self.watchers: list[Callable[[TurnEvent], None]] = []

    async def emit(self, event: TurnEvent) -> None:
        await asyncio.sleep(0)
        match event:
            case PartStarted(index=index, part=part):
                self.live.start(index, part)
            case PartDelta(index=index, text=text):
                self.live.append(index, text)
            case PartReplaced(index=index, part=part):
                event = PartReplaced(index=index, part=self.live.replace(index, part))
        self.events.append(event)
        for watch in self.watchers:
            watch(event)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.live.parts

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


class Crash(Exception):
    """The server dies here."""


async def count_texts(texts: Sequence[str]) -> int:
    """Counts at once."""
    return sum(map(count_text, texts))


class ListJournal:
    """Keeps the entries in order, and turns them back into `Progress`; may crash after one."""

    def __init__(self, messages: tuple[ModelMessage, ...]) -> None:
        self.messages = list(messages)
        self.tokens: list[int | None] = []
        self.calls: list[RecordedCall] = []
        self.steps = 0
        self.entries: list[tuple[str, str]] = []
        self.crash_after: int | None = None

    async def step_answered(
        self, message: ModelMessage, calls: tuple[RecordedCall, ...], tokens: int | None = None
    ) -> None:
        self.messages.append(message)
        self.tokens.append(tokens)
        self.calls = list(calls)
        self.steps += 1
        self._enter("answered", "")

    async def call_started(self, call_id: str) -> None:
        self._update(call_id, "in_progress", None)
        self._enter("started", call_id)

    async def call_finished(self, call_id: str, result: ToolResultBlock) -> None:
        self._update(call_id, "finished", result)
        self._enter("finished", call_id)

    async def results_joined(self, message: ModelMessage, tokens: int | None = None) -> None:
        self.messages.append(message)
        self.tokens.append(tokens)
        self.calls = []
        self._enter("joined", "")

    def progress(self) -> Progress:
        return Progress(tuple(self.messages), tuple(self.calls), self.steps)

    def _update(
        self,
        call_id: str,
        state: Literal["in_progress", "finished"],
        result: ToolResultBlock | None,
    ) -> None:
        (at,) = (n for n, call in enumerate(self.calls) if call.call.id == call_id)
        old = self.calls[at]
        assert old.state != "finished"
        self.calls[at] = RecordedCall(old.call, old.part_index, state, result)

    def _enter(self, kind: str, call_id: str) -> None:
        self.entries.append((kind, call_id))
        if self.crash_after is not None and len(self.entries) >= self.crash_after:
            self.crash_after = None
            raise Crash


class ScriptedGate:
    """Answers by tool name or call id; everything else is allowed."""

    def __init__(
        self, answers: dict[str, Decision | Callable[[], Awaitable[Decision]]] | None = None
    ) -> None:
        self.answers = answers or {}
        self.asked: list[str] = []
        self.previews: list[ToolOutput] = []

    async def decide(
        self,
        call: ToolUseBlock,
        part_index: int,
        preview: ToolOutput,
        recorded: ToolUseBlock | None = None,
    ) -> Decision:
        self.asked.append(call.id)
        self.previews.append(preview)
        await asyncio.sleep(0)
        answer = self.answers.get(call.id) or self.answers.get(call.name) or Allowed()
        return answer if not callable(answer) else await answer()


Answer = Sequence[StreamEvent | Exception]


class ScriptedModel:
    """Answers step n of a turn with script n; an exception in it is raised there."""

    model = "scripted"

    def __init__(self, *script: Answer) -> None:
        self.script = script
        self.requests: list[ChatRequest] = []
        self.open_streams = 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        step = sum(message.role == "assistant" for message in request.messages)
        self.open_streams += 1
        try:
            for event in self.script[min(step, len(self.script) - 1)]:
                await asyncio.sleep(0)
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.open_streams -= 1


def says(text: str) -> Answer:
    """An answer of text."""
    return (TextDelta(text), Done("end_turn"))


def calls(*uses: tuple[str, str] | tuple[str, str, dict[str, Any]]) -> Answer:
    """An answer of tool calls: (id, name[, input])…"""
    return (*(ToolUse(u[0], u[1], u[2] if len(u) == 3 else {}) for u in uses), Done("tool_use"))


Execute = Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutput]]


@dataclass
class FakeTool:
    """A tool whose body is a coroutine function; counts its runs."""

    name: str
    body: Execute | None = None
    kind: ToolKind = "other"
    default_permission: Literal["auto", "ask"] = "auto"
    key: Callable[[dict[str, Any]], str | None] = lambda _: None
    seen: Callable[[dict[str, Any]], ToolOutput] = lambda _: ToolOutput("")
    runs: list[dict[str, Any]] = field(default_factory=list)
    read: Callable[[dict[str, Any]], dict[str, Any]] = lambda input: input

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, f"does {self.name}", {"type": "object"})

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        return self.read(input)

    def title(self, input: dict[str, Any]) -> str:
        return f"{self.name}!"

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        return self.key(input)

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        return self.seen(input)

    async def execute(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        self.runs.append(input)
        await asyncio.sleep(0)
        return (
            ToolOutput(f"{self.name} ran") if self.body is None else await self.body(input, context)
        )


class MemorySandbox:
    """Answers commands by a function; by default echoes the argv."""

    def __init__(self, answer: Callable[[tuple[str, ...]], CommandResult] | None = None) -> None:
        self.answer = answer or (lambda argv: CommandResult(" ".join(argv), "exited", 0))
        self.ran: list[tuple[str, ...]] = []
        self.limits: tuple[float, int] = (0, 0)

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        self.ran.append(command.argv)
        self.limits = (command.timeout, command.max_output)
        result = self.answer(command.argv)
        if on_output is not None and result.output:
            on_output(result.output)
        return result


class MemoryFiles:
    """Files in a dict; refuses what lies outside, counts versions."""

    def __init__(self, **texts: str) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.binary: set[str] = set()
        self.searches: list[tuple[tuple[str, ...], str]] = []
        self.found: Callable[[tuple[str, ...], str], str] = lambda _arguments, _path: ""
        for path, text in texts.items():
            self.put(path, text)

    def put(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.versions[path] = self.versions.get(path, 0) + 1

    def display(self, path: str) -> str:
        if "\0" in path or not path:
            raise FileError("invalid-path", "not a path")
        inside = path.removeprefix("/workspace/")
        if inside.startswith("/") or ".." in PurePosixPath(inside).parts:
            raise FileError("outside", f"{path} is outside the workspace")
        return str(PurePosixPath(inside))

    async def read(self, path: str, *, max_bytes: int) -> FileText:
        name = self.display(path)
        if name in self.binary:
            raise FileError("binary", f"{name} is binary")
        if name not in self.texts:
            raise FileError("not-found", f"{name} does not exist")
        if len(self.texts[name].encode()) > max_bytes:
            raise FileError("too-large", f"{name} is too large")
        return FileText(name, self.texts[name], str(self.versions[name]))

    async def write(self, path: str, text: str, *, version: str | None = None) -> FileText:
        name = self.display(path)
        now = str(self.versions.get(name, ""))
        if version is not None and version != now:
            raise FileError("conflict", f"{name} changed meanwhile")
        self.binary.discard(name)
        self.put(name, text)
        return FileText(name, text, str(self.versions[name]))

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        self.display(path)
        names = [name for name in self.texts if fnmatch(name, pattern)]
        names.sort(key=lambda name: -self.versions[name])
        return [FoundFile(n, self.versions[n]) for n in names[:limit]]

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        self.searches.append((arguments, self.display(path)))
        return self.found(arguments, path)[:max_output]

    async def shown(self, paths: Iterable[str]) -> frozenset[str]:
        return frozenset(paths)


def tool_context(
    files: Files | None = None,
    sandbox: Sandbox | None = None,
    language: str = "en",
    emit: Callable[[str], None] = lambda _: None,
) -> ToolContext:
    """What a tool runs with in tests."""
    return ToolContext(
        files=files or MemoryFiles(),
        sandbox=sandbox or MemorySandbox(),
        counters=TurnCounters(),
        emit_output=emit,
        language=language,
    )


@dataclass
class Bench:
    """A turn with everything recorded."""

    model: ScriptedModel
    tools: tuple[Tool, ...]
    journal: ListJournal
    gate: ScriptedGate = field(default_factory=ScriptedGate)
    sink: ListSink = field(default_factory=ListSink)
    clock: FakeClock = field(default_factory=FakeClock)
    files: MemoryFiles = field(default_factory=MemoryFiles)
    max_steps: int = 50
    count: Count | None = None
    language: str = "en"

    @property
    def setup(self) -> TurnSetup:
        return TurnSetup(
            provider=self.model,
            system="You are MAIA.",
            tools=self.tools,
            gate=self.gate,
            journal=self.journal,
            sink=self.sink,
            tool_context=lambda _call, emit: tool_context(
                self.files, language=self.language, emit=emit
            ),
            max_steps=self.max_steps,
            count=self.count,
            language=self.language,
            clock=self.clock,
        )
