"""Counting: beside the loop where a text is long, and each message's tokens kept with it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from agents.domain.content.model_messages import ModelMessage
from agents.domain.memory import tokens
from agents.domain.memory.tokens import count_message, count_text
from agents.models import AgentSession, SessionMessage
from agents.runtime.answering.counting import count_memory, count_texts, counted
from agents.runtime.host import Host
from agents.selectors.memory import memory_of
from agents.services.turns.hosts import claim_turn
from agents.services.typed.lines import say
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "word " * 3_000


class Watched(str):
    """A text that knows which thread encoded it."""

    threads: list[int]

    def encode(self, *args: Any) -> bytes:
        self.threads.append(threading.get_ident())
        return super().encode(*args)


async def test_a_long_text_is_counted_in_a_thread() -> None:
    tokens.load()
    long, short = Watched(f"{10 * LONG} of mine"), Watched("short")
    long.threads, short.threads = [], []

    assert await count_texts([long]) == count_text(str(long))
    assert threading.get_ident() not in long.threads
    assert long.threads
    assert await count_texts([short]) == count_text("short")
    assert set(short.threads) == {threading.get_ident()}


async def test_a_text_that_was_counted_before_needs_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tokens.load()
    prompt = f"{LONG} of the prompt"
    hops: list[object] = []

    async def noted(work: Callable[[], int]) -> int:
        hops.append(work)
        return work()

    monkeypatch.setattr("asyncio.to_thread", noted)
    first = await count_texts([prompt])
    assert await count_texts([prompt]) == first == count_text(prompt)
    assert len(hops) == 1


async def test_what_was_not_counted_is_counted_once_and_kept(cast: Cast, direct: str) -> None:
    tokens.load()
    await in_db(post_message)(cast.alice.pk, direct, LONG)
    turn = await in_db(claim_turn)(direct, "machine:1:a")
    assert turn is not None
    assert turn.memory.counts == (None,)
    begun: list[Coroutine[Any, Any, None]] = []

    ready = await counted(turn, lambda work, _name: begun.append(work))
    assert ready.memory.counts == (count_message(turn.messages[0]),)
    assert len(begun) == 1
    await begun[0]

    session = await in_db(AgentSession.objects.get)(pk=turn.session)
    assert await in_db(memory_of)(session) == ready.memory
    assert await counted(ready, lambda *_: pytest.fail("counted twice")) == ready
    assert await count_memory(ready.memory) is ready.memory


async def test_a_turn_keeps_the_tokens_of_all_it_says_and_gets(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    said = answer(text("Two words, "), text("and some more of them."))
    model.script(tool_answer("Read", {"path": "x"}), said)
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(say)(cast.alice.pk, channel, f"@maia {LONG}", "first")
        await listener.until_idle()

        def rows() -> list[tuple[Any, int | None]]:
            kept = SessionMessage.objects.filter(session__channel=channel)
            return list(kept.order_by("position").values_list("content", "tokens"))

    found = await in_db(rows)()
    assert len(found) == 4
    assert [count for _content, count in found] == [
        count_message(ModelMessage.model_validate(content)) for content, _count in found
    ]
