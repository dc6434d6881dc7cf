"""Chat chunks: turns the JSON of a streamed answer into events (seed M §7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agents.engine.ports.model import (
    Attached,
    Done,
    ModelStopReason,
    StreamEvent,
    TextDelta,
    TextWasThought,
    ThoughtDelta,
    ToolUse,
    UsageDelta,
)
from agents.providers.attached import attached_to_answer, joined
from agents.providers.clean import TextJoiner, read_json
from agents.providers.errors import cut_off, from_stream
from agents.providers.think_tags import Kind, Piece, ThinkSplitter
from agents.providers.tool_call_fragments import ToolCallFragments
from agents.providers.written_calls import WrittenCalls

OUTPUT_LIMITS = frozenset({1024, 2048, 4096, 8192, 16384, 32768, 65536})
DONE = b"[DONE]"
_PLAIN = frozenset({"role", "content", "tool_calls", "function_call", "refusal", "name"})


class ChatChunks:
    """Reads one answer. `taken` are the ids of earlier calls, `limit` the output limit we set.

    `source` names the server and the model, for what they attach to the answer. `tools` are the
    names of those it was told of; with `written_calls` it writes their calls into its text.
    `said` counts the chunks with something in them, `done` tells that nothing can follow.
    """

    def __init__(
        self,
        model: str = "",
        taken: frozenset[str] = frozenset(),
        limit: int | None = None,
        source: str = "",
        tools: frozenset[str] = frozenset(),
        *,
        written_calls: bool = False,
    ) -> None:
        self._model = model
        self._source = source
        self._attached: list[dict[str, Any]] = []
        self._taken = taken
        self._limits = OUTPUT_LIMITS | ({limit} if limit else set())
        self._thinking = ThinkSplitter()
        self._written = WrittenCalls(tools, held=written_calls)
        self._text = TextJoiner()
        self._thought = TextJoiner()
        self._fragments = ToolCallFragments()
        self._finish: str | None = None
        self._failure: Any = None
        self._refused = False
        self._usage: dict[str, Any] | None = None
        self.done = False
        self.said = 0

    def read(self, data: bytes) -> list[StreamEvent]:
        """Returns the events of one SSE event's data; raises `ProviderError` on an error in it.

        Data that is not JSON is skipped; several JSON lines in one event are read one by one.
        """
        if data.strip() == DONE:
            self.done = True
            return []
        try:
            return self.take(read_json(data))
        except ValueError:
            if b"\n" not in data:
                return []
        return [event for line in data.split(b"\n") if line.strip() for event in self.read(line)]

    def take(self, chunk: Any) -> list[StreamEvent]:
        """Returns the events of one chunk, or of a whole completion that was not streamed."""
        if not isinstance(chunk, dict):
            return []
        error = _error_in(chunk)
        if error:
            raise from_stream(error, model=self._model)
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        choice = _first(chunk.get("choices"))
        return [] if choice is None else self._choice(choice)

    def finish(self) -> list[StreamEvent]:
        """Returns the last events; raises `ProviderError` if it was cut or ended in an error."""
        if self._failure is not None:
            raise from_stream(self._failure, model=self._model)
        if self._finish is None and not self.done:
            raise cut_off()
        events = self._pieces(self._thinking.feed(self._text.finish()))
        events += self._pieces(self._thinking.finish())
        rest, written = self._written.finish()
        events += [TextDelta(rest)] if rest else []
        events += [ThoughtDelta(text) for text in [self._thought.finish()] if text]
        for at, (name, given) in enumerate(written):
            self._fragments.add({"index": at, "function": {"name": name, "arguments": given}})
        calls = self._fragments.calls(self._taken, len(self._taken) + 1)
        events += calls
        events += self._attached_to(calls)
        usage, counted = self._counted()
        if usage is not None:
            events.append(usage)
        called = bool(self._fragments)
        cut = self._finish == "length" or (called and bool(counted & self._limits))
        told = not called and self._written.looks_like_one
        return [*events, Done(self._stop_reason(), cut=cut, written_call=told)]

    @property
    def finished(self) -> bool:
        """Whether the server said how the answer ended: only its usage may follow."""
        return self._finish is not None

    def _attached_to(self, calls: list[ToolUse]) -> list[StreamEvent]:
        fields = joined(self._attached)
        wanted = fields or any(call.attached for call in calls)
        return [Attached(self._source, fields)] if wanted else []

    def _choice(self, choice: dict[str, Any]) -> list[StreamEvent]:
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish and self._finish is None:
            self._finish = finish
        delta = choice.get("delta") or choice.get("message")
        events = self._delta(delta) if isinstance(delta, dict) else []
        self.said += bool(events) or bool(isinstance(delta, dict) and delta.get("tool_calls"))
        error = choice.get("error") or (delta.get("error") if isinstance(delta, dict) else None)
        if error or self._finish == "error":
            self._failure = error or "finish_reason: error"
            self.done = True
        return events

    def _delta(self, delta: dict[str, Any]) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        thought = _text_of(delta.get("reasoning_content")) or _text_of(delta.get("reasoning"))
        content = delta.get("content")
        thought = self._thought.feed(thought + _thinking_of(content)) if thought or content else ""
        if thought:
            events.append(ThoughtDelta(thought))
        if not _PLAIN.issuperset(delta):
            self._attached.append(attached_to_answer(delta))
        refusal = _text_of(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        text = self._text.feed(_text_of(content) + refusal)
        if text:
            events += self._pieces(self._thinking.feed(text))
        self._calls(delta)
        return events

    def _calls(self, delta: dict[str, Any]) -> None:
        calls = delta.get("tool_calls")
        if isinstance(calls, dict):
            calls = [calls]
        legacy = delta.get("function_call")
        if not calls and isinstance(legacy, dict):
            calls = [{"index": 0, "function": legacy}]
        for call in calls if isinstance(calls, list) else ():
            self._fragments.add(call)

    def _pieces(self, pieces: list[Piece]) -> list[StreamEvent]:
        shown = [
            (kind, self._written.feed(text) if kind == "text" else text) for kind, text in pieces
        ]
        return [_EVENTS[kind](text) for kind, text in shown if text or kind == "was-thought"]

    def _counted(self) -> tuple[UsageDelta | None, frozenset[int]]:
        """Returns the usage, and the output counts a limit may be compared with."""
        if self._usage is None:
            return None, frozenset()
        output = _number(self._usage.get("completion_tokens"))
        details = self._usage.get("completion_tokens_details")
        thought = _number(details.get("reasoning_tokens")) if isinstance(details, dict) else 0
        answer = max(0, output - thought)
        usage = UsageDelta(_number(self._usage.get("prompt_tokens")), answer)
        return usage, frozenset({output, answer})

    def _stop_reason(self) -> ModelStopReason:
        called = bool(self._fragments)
        if self._finish in {"tool_calls", "function_call"}:
            return "tool_use"
        if self._finish == "length":
            return "max_tokens"
        if self._finish == "content_filter" or self._refused:
            return "refusal"
        if called:
            return "tool_use"
        return "end_turn" if self._finish == "stop" else "other"


_EVENTS: Mapping[Kind, Callable[[str], StreamEvent]] = {
    "text": TextDelta,
    "thought": ThoughtDelta,
    "was-thought": lambda _text: TextWasThought(),
}


def _first(choices: Any) -> dict[str, Any] | None:
    """Returns the piece of the first answer; a server may send others beside it."""
    of_it = (
        choice
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, dict) and not choice.get("index")
    )
    return next(of_it, None)


def _error_in(chunk: dict[str, Any]) -> Any:
    """Returns what a chunk tells of an error: in `error`, or as one itself (FastAPI: `detail`)."""
    if chunk.get("error"):
        return chunk["error"]
    told = chunk.get("object") == "error" or "error" in str(chunk.get("type", "")).lower()
    return chunk if told or (chunk.get("detail") and "choices" not in chunk) else None


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 < value < 2**53 else 0


def _text_of(content: Any) -> str:
    """Returns the text of a content: a string, or a list of typed parts (Mistral)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _thinking_of(content: Any) -> str:
    if not isinstance(content, list):
        return ""
    return "".join(_text_of(part.get("thinking")) for part in content if isinstance(part, dict))
