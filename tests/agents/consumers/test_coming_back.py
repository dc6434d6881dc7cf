"""Many sockets at once: what they see alike is read once; who missed nothing costs one query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

from agents.consumers.opening_queue import OpeningQueue, Rank
from agents.consumers.socket import ClientTab
from agents.delivery import hub
from agents.domain.content.events import PartDelta, PartStarted
from agents.domain.content.parts import TextPart
from agents.models import Channel
from agents.runtime.answering.recorder import Recorder
from agents.runtime.tenure import Tenure
from agents.selectors.people import visitor
from agents.services.channels.channels import open_direct
from agents.services.turns.hosts import claim_turn
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from tests.agents.consumers.conftest import sign_in
from tests.cast import Cast
from tests.support.database import statements
from tests.support.typed import post_message
from workspaces.services import remove_member

pytestmark = pytest.mark.django_db(transaction=True)


class Tab:
    """A socket of the server, and all it sent."""

    def __init__(self, served: ClientTab, sent: list[dict[str, Any]], more: asyncio.Event) -> None:
        self.served = served
        self.sent = sent
        self.more = more

    async def subscribe(self, channel: str, **fields: Any) -> None:
        command = {"type": "channel:subscribe", "clientRef": "s", "channel": channel, **fields}
        await self.served.take(orjson.dumps(command).decode())

    async def until(self, *types: str) -> dict[str, Any]:
        """Returns the last frame of one of these types, once there is one, and forgets all."""
        async with asyncio.timeout(20):
            while not (found := [one for one in self.sent if one["type"] in types]):
                self.more.clear()
                await self.more.wait()
        self.sent.clear()
        return found[-1]


async def open_tab(user: User) -> Tab:
    sent: list[dict[str, Any]] = []
    more = asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        told = orjson.loads(message.get("text", "[]"))
        sent.extend(told if isinstance(told, list) else [told])
        more.set()

    session = await in_db(sign_in)(user)
    tab = Tab(ClientTab(await in_db(visitor)(user.pk, session), send), sent, more)
    await tab.served.begin()
    await tab.until("channels:changed")
    return tab


@asynccontextmanager
async def tabs_of(*users: User) -> AsyncIterator[list[Tab]]:
    tabs = [await open_tab(user) for user in users]
    yield tabs
    for tab in tabs:
        await tab.served.end()


def seq_of(channel: str) -> int:
    return Channel.objects.values_list("seq", flat=True).get(id=channel)


async def test_fifty_tabs_that_ask_at_once_cost_one_reading(cast: Cast, channel: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, "hello")
    people = (cast.alice, cast.bob, cast.vera)
    async with tabs_of(*(people[number % 3] for number in range(50))) as tabs:
        async with statements() as asked:
            await asyncio.gather(*(tab.subscribe(channel) for tab in tabs))
        shown = [await tab.until("channel:snapshot") for tab in tabs]

    pages = [sql for sql in asked if '"agents_message"."attachments"' in sql]
    rights = [sql for sql in asked if 'FROM "workspaces_membership"' in sql and "direct" in sql]
    assert len(pages) == 1
    assert len(rights) == len(people)
    roles = [one["channel"]["role"] for one in shown[:3]]
    assert roles == ["owner", "editor", "viewer"]
    assert [one["channel"]["role"] for one in shown] == (roles * 17)[:50]
    assert [one["channel"]["unread"] for one in shown[:2]] == [0, 1]
    assert all(one["messages"] == shown[0]["messages"] for one in shown)


async def test_what_was_said_after_the_reading_began_is_in_the_next_one(
    cast: Cast, channel: str
) -> None:
    async with tabs_of(cast.alice, cast.alice) as (first, second):
        early = asyncio.create_task(first.subscribe(channel))
        await asyncio.sleep(0)
        message = await in_db(post_message)(cast.bob.pk, channel, "late")
        await second.subscribe(channel)
        await early
        shown = await second.until("channel:snapshot")
    assert message in [one["id"] for one in shown["messages"]]


async def test_who_comes_back_and_missed_nothing_costs_one_query(cast: Cast, channel: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, "hello")
    seq = await in_db(seq_of)(channel)
    async with tabs_of(cast.bob) as (tab,):
        async with statements() as asked:
            await tab.subscribe(channel, seq=seq)
        assert len([sql for sql in asked if sql.startswith("SELECT")]) == 1
        assert await tab.until("channel:current") == {
            "type": "channel:current",
            "channel": channel,
            "seq": seq,
        }
        await in_db(post_message)(cast.alice.pk, channel, "more")
        assert (await tab.until("message:updated"))["seq"] == seq + 1


@pytest.mark.parametrize("far", [-1, 1])
async def test_who_is_elsewhere_gets_a_snapshot(cast: Cast, channel: str, far: int) -> None:
    await in_db(post_message)(cast.alice.pk, channel, "hello")
    seq = await in_db(seq_of)(channel)
    async with tabs_of(cast.bob) as (tab,):
        await tab.subscribe(channel, seq=seq + far)
        assert (await tab.until("channel:snapshot", "channel:current"))["seq"] == seq
        assert not [one for one in tab.sent if one["type"] == "channel:current"]


async def test_an_answer_goes_on_without_a_hole(cast: Cast, channel: str) -> None:
    async with tabs_of(cast.bob) as (tab,):
        await in_db(post_message)(cast.alice.pk, channel, "@maia go")
        turn = await in_db(claim_turn)(channel, "machine:1:x")
        assert turn is not None
        recorder = Recorder(turn, Tenure(time.monotonic()), lambda: 0)
        await recorder.emit(PartStarted(index=0, part=TextPart(text="one ")))
        await recorder.emit(PartDelta(index=0, text="two"))
        await tab.subscribe(channel, seq=await in_db(seq_of)(channel))
        current = await tab.until("channel:current")
        assert current["messageId"] == turn.answer
        assert [part["text"] for part in current["parts"]] == ["one two"]
        await recorder.emit(PartDelta(index=0, text=" three"))
        assert (await tab.until("message:delta"))["offset"] == len("one two")

        hub.forget_streams()  # what streams is unknown here: only a snapshot helps
        await tab.until("channel:snapshot")
        await tab.subscribe(channel, seq=await in_db(seq_of)(channel))
        await tab.until("channel:snapshot")


async def test_how_far_one_is_opens_nothing_that_is_not_theirs(cast: Cast, channel: str) -> None:
    private = await in_db(open_direct)(cast.alice.pk, cast.atelier.id, "maia")
    await in_db(remove_member)(cast.alice.pk, cast.atelier.id, cast.vera.pk)
    async with tabs_of(cast.bob, cast.vera, cast.charlie) as (bob, vera, charlie):
        for tab, where in ((bob, private), (vera, channel), (charlie, channel)):
            for fields in ({"seq": await in_db(seq_of)(where)}, {}):
                await tab.subscribe(where, **fields)
                refused = await tab.until("error", "channel:current", "channel:snapshot")
                assert (refused["type"], refused["code"]) == ("error", "not-found")


async def test_who_waits_for_an_answer_comes_first() -> None:
    queue, served = OpeningQueue(), []

    async def ask(rank: Rank) -> None:
        async with queue.turn(rank):
            served.append(rank)

    async with queue.turn(Rank.LISTS):
        ranks = [Rank.LISTS, Rank.COMES_BACK, Rank.OPENS, Rank.COMES_BACK, Rank.OPENS]
        tasks = [asyncio.create_task(ask(rank)) for rank in ranks]
        gone = asyncio.create_task(ask(Rank.OPENS))
        await asyncio.sleep(0)
        assert served == []
        gone.cancel()
    await asyncio.gather(*tasks)
    assert served == sorted(ranks)
    await ask(Rank.LISTS)
