"""Nothing is too large to open: what a model, a tool or a person makes up to its own limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.known import known
from tests.support.openai_behaviours import Answer, answer, call, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.reader import fresh, last_said, tools
from tests.support.server import Refused

pytestmark = pytest.mark.timeout(300)
FULL = {"command": "seq 100000 106000"}
"""Fills the 30,000 characters that a card keeps, and more."""
MANY = 35


@pytest.fixture(params=["daphne", "uvicorn"])
def site(
    request: pytest.FixtureRequest, start_server: StartServer, model_server: ScriptedServer
) -> Iterator[Story]:
    told = Story.begin(start_server({"MAIA_SERVER": request.param}), model_server, 10_000_000)
    told.alice.post(
        "/api/rules", json={"scope": "person", "family": "allow", "text": "Bash"}
    ).raise_for_status()
    yield told
    told.close()


def calls(count: int) -> Answer:
    """Many calls at once."""
    fragments = [
        call(number, f"call_{number}", "Bash", json.dumps(FULL)) for number in range(count)
    ]
    return answer(*fragments, reason="tool_calls")


async def test_a_turn_of_many_full_cards_and_an_answer_of_3_mb_are_seen_live_and_opened(
    site: Story,
) -> None:
    """The test's socket refuses any message above 256 KB."""
    long = "日本語 ‹\\› " * 40_000  # 1.3 MB as it is sent, and more when it is escaped
    site.model.script(calls(MANY))
    site.model.script(answer(*[text(long[at : at + 8_000]) for at in range(0, len(long), 8_000)]))
    async with site.tab() as live:
        await live.send("go")
        seen = await live.until_idle(seconds=120)
        async with site.tab() as opened:
            state = await opened.until_idle(seconds=60)
            assert state.messages[-1] == seen.messages[-1]
    answered = state.messages[-1]
    assert last_said(state) == long
    cards = tools(answered)
    assert len(cards) == MANY
    assert {card.status for card in cards} == {"completed"}
    assert all(card.cut is not None for card in cards)
    whole = site.alice.get(
        f"/api/channels/{site.channel}/messages/{answered.id}/calls/{cards[0].id}"
    ).json()
    assert len(whole["output"]) == known(cards[0].cut).output > 30_000
    assert whole["output"].startswith("100000\n100001\n")
    assert "cut" not in whole


async def test_a_conversation_of_many_large_answers_opens_by_pages_of_bounded_size(
    site: Story,
) -> None:
    words = "word " * 10_000
    async with site.tab() as tab:
        for _ in range(12):
            site.model.script(answer(text(words)))
            await tab.send("more")
            await tab.until_idle()
    state = fresh(site.alice, site.channel)
    assert 1 < len(state.messages) < 24
    assert state.more
    shown = list(state.messages)
    while True:
        older = site.alice.get(
            f"/api/channels/{site.channel}/messages", params={"before": shown[0].position}
        ).json()
        assert older["messages"]
        assert len(json.dumps(older)) < 300_000
        shown = [*(type(shown[0]).model_validate(one) for one in older["messages"]), *shown]
        if not older["more"]:
            break
    assert [one.position for one in shown] == list(range(1, 25))


async def test_a_command_over_1_mb_is_answered_and_the_socket_stays_open(site: Story) -> None:
    async with site.tab() as tab:
        for size in (1_100_000, 2_000_000):
            with pytest.raises(Refused) as refused:
                await tab.send("x" * size)
            assert refused.value.code == "too-large"
        site.model.script(tool_answer("Bash", {"command": "echo fine"}))
        site.model.script(answer(text("Fine.")))
        await tab.send("go")
        await tab.until_idle()
    assert last_said(tab.state) == "Fine."
    assert (
        await asyncio.to_thread(lambda: fresh(site.alice, site.channel).messages[0].position) == 1
    )
