"""Compaction: the conversation so far becomes a summary that starts the next one (seed M §14)."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain.model_messages import (
    Block,
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    join_user,
    user_text,
)
from agents.domain.wording import Sentences, say

SUMMARY_TOKENS = 4_000
MARGIN_TOKENS = 500
EMERGENCY_RESULT = 1_500

PROMPT: Sentences = {
    "summary": (
        """Make a compacted summary of our exchanges. Return the result in the following format:
## Project context
- [Brief description of the project]
## Current goal
- [What we are trying to do]
## Relevant files
- [List of the important files]
## Decisions/Conclusions
- [Key points established]
## Next steps
- [What remains to be done]""",
        """Faire un résumé compacté de nos échanges. Retourne le résultat sous le format suivant :
## Contexte du projet
- [Description brève du projet]
## Objectif actuel
- [Ce qu'on cherche à faire]
## Fichiers pertinents
- [Liste des fichiers importants]
## Décisions/Conclusions
- [Points clés établis]
## Prochaines étapes
- [Ce qui reste à faire]""",
    ),
    "no-tools": (
        "You are writing a summary now: call no tool.",
        "Tu écris maintenant un résumé : n'appelle aucun outil.",
    ),
    "resume": (
        "(The conversation was compacted while you were answering this request: the summary above "
        "tells what was done so far. Go on from there without doing again what is done.)",
        "(La conversation a été compactée pendant que tu répondais à cette demande : le résumé "
        "ci-dessus dit ce qui a déjà été fait. Reprends là sans refaire ce qui est fait.)",
    ),
}


def threshold(size: int) -> int | None:
    """Returns above how many tokens a context of `size` is compacted; None where it never is."""
    limit = size - (SUMMARY_TOKENS + MARGIN_TOKENS)
    return limit if limit > 0 else None


def is_full(used: int, size: int) -> bool:
    """Tells whether a context is compacted by itself (strictly above the threshold)."""
    limit = threshold(size)
    return limit is not None and used > limit


def summary_messages(
    messages: tuple[ModelMessage, ...], pending: Sequence[str], language: str
) -> tuple[ModelMessage, ...]:
    """Returns what the model is sent: the conversation, pending context and the prompt."""
    text = "\n\n".join([*pending, say(PROMPT, "summary", language)])
    return join_user(messages, text)


def summary_system(system: str, language: str) -> str:
    """Returns the system prompt of the request for the summary."""
    return f"{system}\n\n{say(PROMPT, 'no-tools', language)}"


def resumed_request(text: str, language: str) -> ModelMessage:
    """Returns the request as it is made again after an emergency compaction."""
    return user_text(f"{text}\n\n{say(PROMPT, 'resume', language)}")


def shrink_tool_results(
    messages: tuple[ModelMessage, ...], limit: int = EMERGENCY_RESULT
) -> tuple[ModelMessage, ...]:
    """Returns the messages with tool results of at most `limit` characters."""
    return tuple(
        message.model_copy(
            update={"content": tuple(_shrunk(one, limit) for one in message.content)}
        )
        for message in messages
    )


def texts_of(messages: Sequence[ModelMessage]) -> str:
    """Returns the text of messages, joined."""
    blocks = (block for message in messages for block in message.content)
    return "\n\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def _shrunk(block: Block, limit: int) -> Block:
    if not isinstance(block, ToolResultBlock) or len(block.content) <= limit:
        return block
    return block.model_copy(update={"content": block.content[: limit - 1] + "…"})
