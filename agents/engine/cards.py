"""Cards: reads the input of a tool call, and makes what people see of it before it runs."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.parts import ToolPart
from agents.domain.content.turn_texts import turn_text
from agents.engine.ports.tools import Tool, ToolContext, ToolFailure, ToolOutput

logger = logging.getLogger(__name__)


def pending_part(
    tools: Mapping[str, Tool], call: ToolUseBlock, step: int | None = None
) -> ToolPart:
    """Returns the pending part of a call; an unknown tool shows its name."""
    tool = tools.get(call.name)
    return ToolPart(
        id=call.id,
        name=call.name,
        title=call.name if tool is None else _title(tool, call),
        kind="other" if tool is None else tool.kind,
        input=json.dumps(call.input, ensure_ascii=False),
        step=step,
    )


def lock_key(tool: Tool, call: ToolUseBlock, context: ToolContext) -> str | None:
    """Returns the key of a call; a key that cannot be made counts as none (seed M §6.3)."""
    try:
        return tool.lock_key(call.input, context)
    except ToolFailure:
        return None
    except Exception:
        logger.exception("the lock key of %s failed", call.name)
        return None


def as_read(tool: Tool, call: ToolUseBlock, language: str) -> ToolUseBlock:
    """Returns the call with the input that is judged and run; raises `ToolFailure`."""
    try:
        input = tool.read_input(call.input, language)
    except ToolFailure:
        raise
    except Exception as error:
        logger.exception("the input of %s could not be read", call.name)
        raise ToolFailure(turn_text("broken-tool", language, name=call.name)) from error
    return call.model_copy(update={"input": input})  # 2.0 equals 2, but counts no lines


async def preview(tool: Tool, call: ToolUseBlock, context: ToolContext) -> ToolOutput:
    """Returns what the call would do; empty if it cannot be told: running it will say why."""
    try:
        return await tool.preview(call.input, context)
    except ToolFailure:
        return ToolOutput("")
    except Exception:
        logger.exception("the preview of %s failed", call.name)
        return ToolOutput("")


def _title(tool: Tool, call: ToolUseBlock) -> str:
    try:
        return tool.title(call.input)
    except ToolFailure:
        return call.name
    except Exception:
        logger.exception("the title of %s failed", call.name)
        return call.name
