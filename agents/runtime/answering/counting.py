"""Counting: tokens of texts, in a thread where they are long, and each message's only once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agents.domain.content.model_messages import ModelMessage
from agents.domain.content.remembered import Memory
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.tokens import count_message, count_text, takes_no_time
from agents.runtime.answering.work import Spawn
from agents.services.memory.messages import keep_counts
from maia_web.lib.db import in_db


async def count_texts(texts: Sequence[str]) -> int:
    """Returns the tokens of all texts; long ones hold nothing up."""
    if takes_no_time(texts):
        return sum(map(count_text, texts))
    return await asyncio.to_thread(lambda: sum(map(count_text, texts)))


async def count_memory(memory: Memory) -> Memory:
    """Returns a memory in which every message is counted."""
    uncounted = memory.uncounted
    if not uncounted:
        return memory
    return memory.counted(await asyncio.to_thread(_counts, uncounted))


async def counted(turn: ClaimedTurn, spawn: Spawn) -> ClaimedTurn:
    """Returns a turn whose memory is counted; what was not is kept, beside what goes on."""
    memory = await count_memory(turn.memory)
    if memory is turn.memory:
        return turn
    found = {at: memory.counts[at - 1] or 0 for at in turn.memory.uncounted}

    async def keep() -> None:
        await in_db(keep_counts)(turn.session, turn.memory, found)

    spawn(keep(), f"counts-{turn.id}")
    return replace(turn, memory=memory)


def _counts(messages: dict[int, ModelMessage]) -> dict[int, int]:
    return {at: count_message(message) for at, message in messages.items()}
