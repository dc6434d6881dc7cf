"""Compaction: the conversation so far becomes a summary that starts the next one (seed M §14)."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain.content.model_messages import (
    Block,
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    join_user,
    user_text,
)
from agents.domain.content.shorten import shorten
from agents.domain.content.wording import Sentences, say
from agents.domain.memory.tokens import count_text

SUMMARY_TOKENS = 4_000
MARGIN_TOKENS = 500
EMERGENCY_RESULT = 1_500
EMERGENCY_TEXT = 6_000
EMERGENCY_REQUEST = 50_000
"""Characters of a request that is made again where nobody knows the size of the context."""
INSTRUCTIONS_SHARE = 2
"""Instructions fill half of a context at most beside a summary: they would fill it for good."""

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


def resumed_request(text: str, language: str, size: int = 0) -> ModelMessage:
    """Returns the request, with its files, as it is made again after an emergency compaction.

    It may fill about half a context of `size` tokens (two characters for each); what is more is
    left out of its middle. Without a size 50,000 characters are kept.
    """
    kept = shorten(text, size * 2 or EMERGENCY_REQUEST, language)
    return user_text(f"{kept}\n\n{say(PROMPT, 'resume', language)}")


def beside_summary(instructions: str, size: int, language: str) -> str:
    """Returns instructions as they stand beside a summary in a context of `size` tokens.

    Whole where they fill half of it at most or the size is unknown (0), else about as much of
    their beginning and end. Long ones take time to count.
    """
    room = size // INSTRUCTIONS_SHARE
    if not room or len(instructions.encode()) <= room:  # no token is less than a byte
        return instructions
    tokens = count_text(instructions)
    if tokens <= room:
        return instructions
    return shorten(instructions, len(instructions) * room // tokens, language)


def request_of(
    messages: Sequence[ModelMessage], count: int, last: ModelMessage | None
) -> str | None:
    """Returns the text of the request that joined a memory of `count` messages ending in `last`.

    None where it is not there: then the turn went on without one.
    """
    merged = last is not None and last.role == "user"
    at, block = (count - 1, len(last.content)) if last and merged else (count, 0)
    content = messages[at].content if 0 <= at < len(messages) else ()
    found = content[block] if block < len(content) else None
    return found.text if isinstance(found, TextBlock) else None


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


def shrink_texts(
    messages: tuple[ModelMessage, ...], language: str, limit: int = EMERGENCY_TEXT
) -> tuple[ModelMessage, ...]:
    """Returns the messages with what people said, files included, cut to about `limit` each."""
    return tuple(
        message.model_copy(
            update={"content": tuple(_cut(one, limit, language) for one in message.content)}
        )
        if message.role == "user"
        else message
        for message in messages
    )


def _shrunk(block: Block, limit: int) -> Block:
    if not isinstance(block, ToolResultBlock) or len(block.content) <= limit:
        return block
    return block.model_copy(update={"content": block.content[: limit - 1] + "…"})


def _cut(block: Block, limit: int, language: str) -> Block:
    if not isinstance(block, TextBlock):
        return block
    return block.model_copy(update={"text": shorten(block.text, limit, language)})
