"""The model: what it is asked, what it streams back, how it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.domain.content.model_messages import ModelMessage


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

    `unreadable`: how its arguments begin where they hold no JSON object; the input is empty then.
    `more`: how many objects followed the one that is the input. `attached`: see `Attached`.
    """

    id: str
    name: str
    input: dict[str, Any]
    unreadable: str = field(default="", compare=False)
    more: int = field(default=0, compare=False)
    attached: dict[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class TextWasThought:
    """All text of this answer so far was thought: the tag that opens one never came."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What the provider wants back with this answer, opaque; emitted after the calls.

    `source` names the server and the model that it comes from: it goes to no other.
    """

    source: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The server refused a field of the request; from now on it is asked without it.

    `message` says which, and what that changes, in words.
    """

    field: str
    message: str


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
    """The stream is over. `cut`: the answer was cut by the output limit (M §7.2).

    `written_call`: the text holds what looks like a tool call, which nobody read as one.
    """

    stop_reason: ModelStopReason
    cut: bool = False
    written_call: bool = False


StreamEvent = (
    TextDelta
    | ThoughtDelta
    | TextWasThought
    | ToolUse
    | Attached
    | UsageDelta
    | Retrying
    | LeftOut
    | Done
)


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
