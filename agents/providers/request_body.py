"""Request body: the neutral conversation as OpenAI's chat completions want it (seed M §7.1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agents.engine.ports.model import ChatRequest, ToolSpec


def build_body(model: str, request: ChatRequest, max_output_tokens: int | None) -> dict[str, Any]:
    """Returns the body; the request's own `max_tokens` wins over the endpoint's."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    sent = [one for message in request.messages for one in _message(message)]
    body: dict[str, Any] = {
        "model": model,
        "messages": system + sent,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    limit = request.max_tokens or max_output_tokens
    if limit:
        body["max_tokens"] = limit
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    return body


def dump(value: Any) -> bytes:
    """Returns compact JSON; what orjson refuses (an integer over 64 bits) goes the slow way."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _message(message: ModelMessage) -> Iterator[dict[str, Any]]:
    return _assistant(message) if message.role == "assistant" else _user(message)


def _assistant(message: ModelMessage) -> Iterator[dict[str, Any]]:
    calls = [_call(block) for block in message.content if isinstance(block, ToolUseBlock)]
    text = _text(message)
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": calls}
    else:
        yield {"role": "assistant", "content": text}


def _user(message: ModelMessage) -> Iterator[dict[str, Any]]:
    for block in message.content:
        if isinstance(block, ToolResultBlock):
            yield {"role": "tool", "tool_call_id": block.tool_use_id, "content": block.content}
    text = _text(message)
    if text:
        yield {"role": "user", "content": text}


def _text(message: ModelMessage) -> str:
    return "\n\n".join(block.text for block in message.content if isinstance(block, TextBlock))


def _call(block: ToolUseBlock) -> dict[str, Any]:
    function = {"name": block.name, "arguments": dump(block.input).decode()}
    return {"id": block.id, "type": "function", "function": function}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.input_schema,
    }
    return {"type": "function", "function": function}
