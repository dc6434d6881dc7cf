"""What lists cost: a channel that changed is read once, whatever people see, for all of them."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from django.db import InterfaceError, OperationalError

from agents.consumers import lists as lists_module
from agents.consumers.lists import sight_of
from agents.consumers.people import people
from agents.consumers.socket import ClientTab
from agents.delivery import hub
from agents.domain.content.messages import MOST_UNREAD
from agents.models import Channel, Message
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.lists import channel_changed, channels_of, unread_in
from agents.selectors.people import Visitor, visitor
from agents.services.channels import channels
from agents.services.permissions.request_settings import change_request_settings
from agents.services.turns.hosts import claim_turn
from agents.services.turns.people import delete_channel
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from maia_web.lib.ids import new_id
from tests.agents.consumers.conftest import sign_in
from tests.cast import Cast
from tests.support.database import statements
from tests.support.typed import post_message
from workspaces.services import create_workspace

pytestmark = pytest.mark.django_db(transaction=True)
FEW, MANY = 10, 1_000


class Screen:
    """A socket that keeps what it is told."""

    def __init__(self, visitor: Visitor) -> None:
        self.frames: list[dict[str, Any]] = []
        self.sizes: list[int] = []
        self._pieces: list[str] = []
        self.more = asyncio.Event()
        self.tab = ClientTab(visitor, self._send)

    async def _send(self, message: dict[str, Any]) -> None:
        body = orjson.loads(message.get("text", "[]"))
        self.sizes.append(len(message.get("text", "")))
        for frame in body if isinstance(body, list) else [body]:
            self._take(frame)
        self.more.set()

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] != "piece":
            self.frames.append(frame)
            return
        self._pieces.append(frame["text"])
        if frame["at"] == frame["of"] - 1:
            self.frames.append(orjson.loads("".join(self._pieces)))
            self._pieces.clear()

    async def until(self, type: str, **fields: Any) -> dict[str, Any]:
        """Returns the next frame of this kind."""
        async with asyncio.timeout(30):
            while True:
                while self.frames:
                    frame = self.frames.pop(0)
                    if frame["type"] == type and fields.items() <= frame.items():
                        return frame
                self.more.clear()
                await self.more.wait()


@asynccontextmanager
async def screens(*users: User) -> AsyncIterator[list[Screen]]:
    """Sockets of these people that know their lists."""
    hub.loop = asyncio.get_running_loop()
    opened = []
    for user in users:
        session = await in_db(sign_in)(user)
        opened.append(Screen(await in_db(visitor)(user.pk, session)))
        await opened[-1].tab.begin()
        await opened[-1].until("channels:changed")
    yield opened
    for screen in opened:
        await screen.tab.end()


async def one_turn(cast: Cast, channel: str, screen: Screen) -> list[str]:
    """Somebody asks and an answer begins; returns what was asked until a screen shows both."""
    async with statements() as asked:
        await in_db(post_message)(cast.bob.pk, channel, "@maia hello")
        assert await in_db(claim_turn)(channel, f"machine:1:{new_id()}")
        entry = {"id": "", "busy": False}
        while (entry["id"], entry["busy"]) != (channel, True):
            entry = (await screen.until("channel:changed"))["channel"]
    return asked


def assert_alike(few: list[str], many: list[str]) -> None:
    """The same questions; how often changes are told apart is a matter of time."""
    assert set(many) == set(few)
    assert len(many) < 2 * len(few)


def make_channels(cast: Cast, number: int) -> None:
    Channel.objects.bulk_create(
        Channel(workspace_id=cast.atelier.id, name=new_id(), last_position=7) for _ in range(number)
    )


async def test_a_turn_asks_and_sends_as_little_with_1000_channels_as_with_10(
    cast: Cast, channel: str
) -> None:
    other = await in_db(channels.create_channel)(
        cast.alice.pk, cast.atelier.id, "later", members=("maia",)
    )
    await in_db(make_channels)(cast, FEW)
    async with screens(cast.alice) as (alice,):
        alice.sizes.clear()
        few = await one_turn(cast, channel, alice)
        small = max(alice.sizes)
    await in_db(make_channels)(cast, MANY)
    async with screens(cast.alice) as (alice,):
        alice.sizes.clear()
        many = await one_turn(cast, other, alice)
        assert max(alice.sizes) < small * 1.2
    assert_alike(few, many)


async def test_a_turn_asks_as_little_with_1000_people_online_as_with_10(
    cast: Cast, channel: str
) -> None:
    other = await in_db(channels.create_channel)(
        cast.alice.pk, cast.atelier.id, "later", members=("maia",)
    )
    async with screens(cast.alice) as (alice,):
        seats = await crowd(cast, alice, FEW)
        few = await one_turn(cast, channel, alice)
        seats += await crowd(cast, alice, MANY)
        many = await one_turn(cast, other, alice)
        for seat in seats:
            await seat.until("channel:changed")
            await seat.tab.end()
    assert_alike(few, many)


async def crowd(cast: Cast, like: Screen, number: int) -> list[Screen]:
    """So many more people look at the list that `like` has."""
    sight, seats = await in_db(sight_of)(cast.alice.pk), []
    for at in range(number):
        seat = Screen(dataclasses.replace(like.tab.visitor, id=1_000_000 * number + at))
        people.arrive(seat.tab)
        seat.tab.show(sight)
        seats.append(seat)
    return seats


async def test_what_many_have_read_is_counted_in_one_question(cast: Cast, channel: str) -> None:
    for text in ("one", "two", "three"):
        await in_db(post_message)(cast.alice.pk, channel, text)
    async with screens(cast.bob, cast.vera, cast.alice) as seats, statements() as asked:
        for seat, position in zip(seats, (2, 3, 1), strict=True):
            await in_db(channels.mark_read)(seat.tab.visitor.id, channel, position)
        told = [await seat.until("channel:unread") for seat in seats]
    assert [one["unread"] for one in told] == [1, 0, 0]
    assert len([sql for sql in asked if "COUNT(*)" in sql]) == 1


async def test_a_mark_is_never_ahead_of_what_was_said(cast: Cast, channel: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, "one")
    await in_db(channels.mark_read)(cast.bob.pk, channel, 2**53 - 1)
    await in_db(post_message)(cast.alice.pk, channel, "two")
    assert (await in_db(channels_of)(cast.bob.pk))[0].unread == 1


async def test_unread_is_counted_to_a_hundred(cast: Cast, channel: str) -> None:
    def flood() -> None:
        Message.objects.bulk_create(
            Message(channel_id=channel, position=at, role="agent") for at in range(1, 300)
        )
        Channel.objects.filter(id=channel).update(last_position=299)

    await in_db(flood)()
    info = (await in_db(channels_of)(cast.bob.pk))[0]
    assert (info.unread, info.position) == (MOST_UNREAD, 299)


async def test_what_nobody_here_sees_is_not_read_through(cast: Cast, channel: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, "of old")
    mine = await in_db(open_own)(cast.charlie)
    async with screens(cast.charlie) as (charlie,), statements() as asked:
        await in_db(post_message)(cast.alice.pk, channel, "new")
        await in_db(channels.rename_channel)(cast.charlie.pk, mine, "told after it")
        await charlie.until("channel:changed")
    read = [sql for sql in asked if "position" in sql and "agents_message" in sql and " <= " in sql]
    assert read == []


def open_own(person: User) -> str:
    """A channel that this person alone sees."""
    own = create_workspace(person, "own")
    return channels.create_channel(person.pk, own.id, "mine")


async def test_a_change_that_could_not_be_read_is_told_later(
    cast: Cast, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]

    def read(*args: Any) -> Any:
        if broken:
            broken.clear()
            raise OperationalError("locked")
        return channel_changed(*args)

    monkeypatch.setattr(lists_module, "channel_changed", read)
    monkeypatch.setattr(lists_module, "TELL_AGAIN", 0)
    async with screens(cast.alice) as (alice,):
        await in_db(channels.rename_channel)(cast.bob.pk, channel, "renamed")
        assert (await alice.until("channel:changed"))["channel"]["name"] == "renamed"
    assert not broken


async def test_what_could_not_be_read_is_told_together_with_what_came_since(
    cast: Cast, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[tuple[str, set[int]]] = []
    broken = [True]

    def count(channel: str, people: list[int]) -> dict[int, tuple[int, int]]:
        if broken:
            broken.clear()
            lists.channel_changed(channel)  # as if it came in this moment
            raise InterfaceError("gone")
        counts.append((channel, set(people)))
        return unread_in(channel, people)

    await in_db(post_message)(cast.alice.pk, channel, "one")
    monkeypatch.setattr(lists_module, "unread_in", count)
    monkeypatch.setattr(lists_module, "TELL_AGAIN", 0)
    async with screens(cast.bob) as (bob,):
        lists = people._lists
        await in_db(channels.mark_read)(cast.bob.pk, channel, 1)
        await bob.until("channel:changed")
        assert (await bob.until("channel:unread"))["unread"] == 0
    assert counts == [(channel, {cast.bob.pk})]


async def test_what_is_deleted_leaves_every_list_and_whoever_followed_it(
    cast: Cast, channel: str
) -> None:
    async with screens(cast.alice, cast.vera) as (alice, vera):
        subscribe = {"type": "channel:subscribe", "clientRef": "a", "channel": channel}
        await vera.tab.take(json.dumps(subscribe))
        await in_db(delete_channel)(cast.alice.pk, channel)
        await alice.until("channel:gone", channel=channel)
        await vera.until("channel:gone", channel=channel)
        await alice.tab.take(json.dumps(subscribe))
        assert (await alice.until("error"))["code"] == "not-found"
        await vera.until("channel:gone", channel=channel)
        assert not hub.clients.get(channel_topic(channel))


async def test_who_may_answer_is_told_anew_when_the_owner_changes_it(
    cast: Cast, channel: str
) -> None:
    async with screens(cast.bob) as (bob,):
        await in_db(change_request_settings)(
            cast.alice.pk, cast.atelier.id, editors_answer=True, hours=24
        )
        shown = await bob.until("channels:changed")
    assert [one["mayAnswer"] for one in (*shown["channels"], *shown["workspaces"])] == [True, True]
