"""Request body: the neutral conversation as OpenAI's chat completions want it (seed M §7.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from agents.domain.content.model_messages import (
    Block,
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.domain.model_servers.traits import COMPLETION_TOKENS, REASONING, Traits
from agents.engine.ports.model import ChatRequest, ToolSpec

LONGEST_ID = 40
NO_TRAITS = Traits()
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def build_body(
    model: str,
    request: ChatRequest,
    max_output_tokens: int | None,
    *,
    traits: Traits = NO_TRAITS,
    source: str = "",
) -> dict[str, Any]:
    """Returns the body; the request's own `max_tokens` wins over the endpoint's.

    What the model's `traits` leave out is not there. What was attached to answers goes back to
    its `source` alone.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, traits, source),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    limit = request.max_tokens or max_output_tokens
    if limit:
        body[COMPLETION_TOKENS if traits.renamed else "max_tokens"] = limit
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    for name in traits.left_out:
        body.pop(name, None)
    if "stream" not in body:
        body.pop("stream_options", None)
    return body


def _messages(request: ChatRequest, traits: Traits, source: str) -> list[dict[str, Any]]:
    writer = _Writer(traits, source)
    messages = request.messages
    if "tools" in traits.left_out:
        messages = tuple(as_text(message) for message in messages)
    sent = [one for message in messages for one in writer.message(message)]
    if not request.system:
        return sent
    if "system" not in traits.left_out:
        return [{"role": "system", "content": request.system}, *sent]
    if sent and sent[0]["role"] == "user":
        text = f"{request.system}\n\n{sent[0]['content']}"
        return [{"role": "user", "content": text}, *sent[1:]]
    return [{"role": "user", "content": request.system}, *sent]


def dump(value: Any) -> bytes:
    """Returns compact JSON; what orjson refuses (an integer over 64 bits) goes the slow way."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


class _Writer:
    """Writes the messages of one conversation; the ids of its calls are safe and agree."""

    def __init__(self, traits: Traits, source: str) -> None:
        self._traits = traits
        self._source = source
        self._ids = SafeIds()

    def message(self, message: ModelMessage) -> Iterator[dict[str, Any]]:
        """Yields what one message becomes."""
        return self._assistant(message) if message.role == "assistant" else self._user(message)

    def _assistant(self, message: ModelMessage) -> Iterator[dict[str, Any]]:
        known = message.attached is not None and message.attached.source == self._source
        calls = [self._call(block, known) for block in tool_uses(message)]
        text = _text(message)
        sent: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            sent = {"role": "assistant", "content": text or None, "tool_calls": calls}
        if known and message.attached is not None:
            sent = {**self._kept(message.attached.fields), **sent}
        if calls and self._traits.wants_reasoning:
            sent.setdefault(REASONING, "")
        yield sent

    def _user(self, message: ModelMessage) -> Iterator[dict[str, Any]]:
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                yield {
                    "role": "tool",
                    "tool_call_id": self._ids.of(block.tool_use_id),
                    "content": block.content,
                }
        text = _text(message)
        if text:
            yield {"role": "user", "content": text}

    def _call(self, block: ToolUseBlock, known: bool) -> dict[str, Any]:
        attached = self._kept(block.attached or {}) if known else {}
        signed = attached.pop("id", "")
        inner = attached.pop("function", {})
        function = {"name": block.name, "arguments": dump(block.input).decode(), **inner}
        id = self._ids.keep(block.id, signed) if signed else self._ids.of(block.id)
        return {**attached, "id": id, "type": "function", "function": function}

    def _kept(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {name: one for name, one in fields.items() if name not in self._traits.left_out}


class SafeIds:
    """Ids as every server takes them: letters, digits, `_` and `-`, at most 40 of them.

    In the conversation a call keeps the id it was given. Two that become alike stay apart, and
    what was sent once is sent so again: ids depend only on those before.
    """

    def __init__(self) -> None:
        self._safe: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, id: str) -> str:
        """Returns the id that is sent for `id`, the same each time."""
        if id not in self._safe:
            base = _UNSAFE.sub("_", id)[:LONGEST_ID] or "call"
            safe, number = base, 2
            while safe in self._used:
                end = f"_{number}"
                safe, number = base[: LONGEST_ID - len(end)] + end, number + 1
            self.keep(id, safe)
        return self._safe[id]

    def keep(self, id: str, sent: str) -> str:
        """Notes that `sent` stands for `id`: a signature is part of it."""
        self._safe[id] = sent
        self._used.add(sent)
        return sent


def as_text(message: ModelMessage) -> ModelMessage:
    """Returns a message whose calls and results are told in words, for a model without tools."""
    texts = [_told(block) for block in message.content]
    joined = "\n\n".join(text for text in texts if text)
    content = (TextBlock(text=joined),) if joined else ()
    return message.model_copy(update={"content": content})


def _told(block: Block) -> str:
    match block:
        case TextBlock(text=text):
            return text
        case ToolUseBlock(name=name, input=given):
            return f"[{name} {dump(given).decode()}]"
        case ToolResultBlock(content=content):
            return f"[→ {content}]"


def _text(message: ModelMessage) -> str:
    return "\n\n".join(block.text for block in message.content if isinstance(block, TextBlock))


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.input_schema,
    }
    return {"type": "function", "function": function}
