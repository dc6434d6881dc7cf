"""Open calls: what an agent remembers must fit the next request, however the turn ended."""

from __future__ import annotations

from django.conf import settings
from django.utils import translation

from agents.domain.content.model_messages import (
    ModelMessage,
    ToolResultBlock,
    ToolUseBlock,
    tool_uses,
)
from agents.domain.content.turn_texts import turn_text
from agents.models import Turn
from agents.services.memory import sessions


def settle_calls(turn: Turn) -> None:
    """Gives every open call of the last message a result: models refuse a memory without."""
    session = sessions.session_of(turn)
    messages = sessions.load_messages(session)
    calls = tool_uses(messages[-1]) if messages else ()
    if not calls:
        return
    kept = dict(turn.calls.filter(step=turn.steps).values_list("call_id", "result"))
    results = tuple(
        ToolResultBlock.model_validate(kept[call.id]) if kept.get(call.id) else _interrupted(call)
        for call in calls
    )
    sessions.append_message(session, turn, ModelMessage(role="user", content=results))


def _interrupted(call: ToolUseBlock) -> ToolResultBlock:
    text = turn_text("interrupted", translation.get_language() or settings.LANGUAGE_CODE)
    return ToolResultBlock(tool_use_id=call.id, content=text, is_error=True)
