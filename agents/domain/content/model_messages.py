"""ModelMessage: what the model is sent, neutral to any provider (seed M §4.1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from maia_web.lib.values import Value


class TextBlock(Value):
    """Text said by either side."""

    type: Literal["text"] = "text"
    text: str


class ToolUseBlock(Value):
    """A complete tool call by the model; `attached`: as in the message."""

    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: dict[str, Any] = Field(default_factory=dict)
    attached: dict[str, Any] | None = None


class ToolResultBlock(Value):
    """What a tool answered; one for each ToolUseBlock, in call order."""

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    content: str
    is_error: bool | None = None


Block = Annotated[TextBlock | ToolUseBlock | ToolResultBlock, Field(discriminator="type")]


class Attached(Value):
    """What a provider attached to an answer: opaque, and only for the model it came from.

    `source` names server and model. What belongs to a call stands in its block.
    """

    source: str
    fields: dict[str, Any] = Field(default_factory=dict)


class ModelMessage(Value):
    """One message for the model; roles alternate.

    `attached` goes back unchanged with every later request, unless the model is another one then.
    """

    role: Literal["user", "assistant"]
    content: tuple[Block, ...]
    attached: Attached | None = None

    def without_attached(self) -> ModelMessage:
        """Returns what was said and called alone, as any model or program may read it."""
        plain = tuple(
            one.model_copy(update={"attached": None}) if isinstance(one, ToolUseBlock) else one
            for one in self.content
        )
        return self.model_copy(update={"content": plain, "attached": None})


def user_text(text: str) -> ModelMessage:
    """Returns a user message with one text block."""
    return ModelMessage(role="user", content=(TextBlock(text=text),))


def join_user(messages: tuple[ModelMessage, ...], text: str) -> tuple[ModelMessage, ...]:
    """Appends a request so that roles alternate: it merges into a last user message (M §6.2)."""
    if messages and messages[-1].role == "user":
        last = messages[-1]
        merged = last.model_copy(update={"content": (*last.content, TextBlock(text=text))})
        return (*messages[:-1], merged)
    return (*messages, user_text(text))


def tool_uses(message: ModelMessage) -> tuple[ToolUseBlock, ...]:
    """Returns the tool calls of an assistant message in call order."""
    return tuple(block for block in message.content if isinstance(block, ToolUseBlock))
