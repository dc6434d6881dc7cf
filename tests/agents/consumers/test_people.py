"""What people see is read once for all of their tabs, and what is held back never leaks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable

import pytest
from django.contrib.sessions.models import Session
from django.db import DatabaseError

from agents.consumers import people as module
from agents.consumers.lists import Sight, sight_of
from agents.consumers.people import People
from agents.delivery import Client, Hold
from agents.selectors.people import Visitor, visitor
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from tests.agents.consumers.conftest import Connect, sign_in
from tests.cast import Cast
from workspaces.models import Membership

pytestmark = pytest.mark.django_db(transaction=True)


class Seat:
    """A tab that notes what it is told."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.client = Client(self._write, lambda _why: None, lambda _name: None)
        self.holds = [Hold("channel.c")]
        self.sights: list[Sight] = []
        self.trusted: list[Hold] = []
        self.signed_out = False
        self.told = asyncio.Event()

    def show(self, sight: Sight, holds: Collection[Hold] = ()) -> None:
        self.sights.append(sight)
        self.told.set()

    def take_holds(self) -> list[Hold]:
        holds, self.holds = self.holds, []
        return holds

    def keep_holds(self, holds: Iterable[Hold]) -> None:
        self.holds += holds
        self.told.set()

    async def trust(self, sight: Sight, holds: Iterable[Hold]) -> None:
        self.trusted += holds

    def lose(self, channel: str) -> None:
        pass

    async def _write(self, text: str) -> None:
        pass

    def sign_out(self) -> None:
        self.signed_out = True
        self.told.set()


async def seat(user: User) -> Seat:
    session = await in_db(sign_in)(user)
    return Seat(await in_db(visitor)(user.pk, session))


async def told(*seats: Seat) -> None:
    async with asyncio.timeout(20):
        for one in seats:
            await one.told.wait()
            one.told.clear()


async def test_however_many_tabs_and_changes_there_are_the_list_is_read_once(
    cast: Cast, channel: str, connect: Connect
) -> None:
    people, seats = People(), [await seat(cast.bob), await seat(cast.bob)]
    alice = await seat(cast.alice)
    for one in (*seats, alice):
        people.arrive(one)

    for _ in range(5):
        people.list_changed(cast.bob.pk)
    people.list_changed(cast.alice.pk)
    await told(*seats, alice)

    assert len(seats[0].sights) == 1
    assert seats[0].sights[0] is seats[1].sights[0]
    assert seats[0].sights[0].channels == {channel}
    assert alice.sights[0] is not seats[0].sights[0]
    for one in (*seats, alice):
        people.leave(one)


async def test_whoever_signed_out_on_one_device_goes_on_on_the_other(
    cast: Cast, channel: str, connect: Connect
) -> None:
    people, here, there = People(), await seat(cast.bob), await seat(cast.bob)
    people.arrive(here)
    people.arrive(there)
    await in_db(Session.objects.filter(pk=here.visitor.session).delete)()

    people.rights_changed(cast.bob.pk)
    await told(here, there)
    people.rights_changed(cast.bob.pk)
    await told(there)

    assert (here.signed_out, here.trusted, here.sights) == (True, [], [])
    assert (there.signed_out, len(there.trusted), len(there.sights)) == (False, 1, 2)
    people.leave(there)
    people.leave(here)


async def test_what_is_held_back_waits_until_a_check_succeeds(
    cast: Cast, channel: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, bob = People(), await seat(cast.bob)
    people.arrive(bob)
    broken = [True]

    def read(user_id: int) -> Sight:
        if broken.pop():
            raise DatabaseError("locked")
        return sight_of(user_id)

    monkeypatch.setattr(module, "sight_of", read)
    people.rights_changed(cast.bob.pk)
    await told(bob)
    assert (bob.trusted, len(bob.holds)) == ([], 1)

    broken[:] = [False]
    people.rights_changed(cast.bob.pk)
    await told(bob)
    assert (len(bob.trusted), bob.holds) == (1, [])
    people.leave(bob)


async def test_who_is_looked_at_now_and_then_is_told_only_what_changed(
    cast: Cast, channel: str, connect: Connect
) -> None:
    people, bob = People(), await seat(cast.bob)
    people.arrive(bob)
    people.list_changed(cast.bob.pk)
    await told(bob)

    await people._look_at(cast.bob.pk)
    assert len(bob.sights) == 1

    await in_db(Membership.objects.filter(user=cast.bob).delete)()  # and nobody said so
    await people._look_at(cast.bob.pk)
    assert [one.channels for one in bob.sights] == [{channel}, frozenset()]

    await in_db(Session.objects.filter(pk=bob.visitor.session).delete)()
    await people._look_at(cast.bob.pk)
    assert bob.signed_out
