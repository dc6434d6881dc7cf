"""The same lists everywhere: a list and the frames after it give the list a new tab would get.

The sessions in tests/golden/lists are folded by the browser's reducers too (tests/js). Record them
anew with MAIA_RECORD=1.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.consumers import lists as lists_module
from agents.consumers import people as people_module
from agents.consumers.lists import sight_of
from agents.consumers.people import People
from agents.consumers.socket import ClientTab
from agents.delivery import hub
from agents.domain.content.messages import MOST_UNREAD
from agents.models import Channel
from agents.protocol.frames import (
    FRAME,
    ChannelChanged,
    ChannelGone,
    ChannelsChanged,
    Frame,
    Hello,
    NoticeGiven,
)
from agents.protocol.lists import apply_to_list
from agents.selectors.people import visitor
from agents.services.channels import channels
from agents.services.permissions.request_settings import change_request_settings
from agents.services.turns.people import delete_channel
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError
from maia_web.lib.ids import new_id
from tests.agents.consumers.conftest import sign_in
from tests.agents.conversation_world import NAMES, World
from tests.cast import Cast, make_cast
from tests.support.typed import post_message
from workspaces import services as workspaces

pytestmark = pytest.mark.django_db(transaction=True)
SESSIONS = Path(__file__).parents[1] / "golden" / "lists"
RECORDED = (1, 3, 4)
LENGTH = 60
MARK = NoticeGiven(channel="", code="mark", message="")


class Sidebar:
    """A socket of the server's side, and what a browser makes of what it says."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.history: list[Frame] = []
        self.state: ChannelsChanged | None = None
        self.tab: ClientTab | None = None
        self._mark: asyncio.Future[int] = asyncio.Future()

    async def open(self) -> None:
        """Connects, and waits for the list."""
        session = await in_db(sign_in)(self.user)
        self.tab = ClientTab(await in_db(visitor)(self.user.pk, session), self._take)
        await self.tab.begin()

    async def close(self) -> None:
        """Goes away."""
        if self.tab is not None:
            await self.tab.end()
        self.tab, self.state = None, None

    async def arrived(self) -> int:
        """Waits until everything sent so far has arrived; returns how many frames that were."""
        if self.tab is not None:
            self._mark = asyncio.get_running_loop().create_future()
            self.tab.push(MARK)
            return await self._mark
        return len(self.history)

    async def _take(self, message: dict[str, Any]) -> None:
        body = orjson.loads(message.get("text", "[]"))
        for one in body if isinstance(body, list) else [body]:
            frame = FRAME.validate_python(one)
            if frame == MARK:
                self._mark.set_result(len(self.history))
                continue
            if isinstance(frame, ChannelsChanged):
                self.state = frame
            elif self.state is not None:
                self.state = apply_to_list(self.state, frame, self.user.pk)
            self.history.append(frame)


@dataclass
class Office:
    """Two channels where anything may happen, and the sidebars of those who look at them."""

    cast: Cast
    people: People
    worlds: list[World]
    sidebars: dict[str, Sidebar] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    async def act(self, name: str, number: int) -> None:
        """Does one thing; what is not possible now does nothing."""
        with suppress(MaiaError):
            if name in OWN:
                await OWN[name](self, number)
            else:
                await self.worlds[number % 2].act(name, number)

    def person(self, number: int) -> User:
        return (self.cast.alice, self.cast.bob, self.cast.vera)[number % 3]

    async def read(self, number: int) -> None:
        world, position = self.worlds[number % 2], (number * 7) % 40
        await in_db(channels.mark_read)(self.person(number).pk, world.channel, position)

    async def talk(self, number: int) -> None:
        """More than is counted."""
        channel = self.worlds[number % 2].channel
        for _ in range(MOST_UNREAD // 4 if number % 4 == 0 else 2):
            await in_db(post_message)(self.cast.bob.pk, channel, "just talking")

    async def make(self, number: int) -> None:
        name = f"c {new_id()[-8:]}"
        made = await in_db(channels.create_channel)(self.cast.bob.pk, self.cast.atelier.id, name)
        self.made.append(made)
        if number % 2:
            await in_db(post_message)(self.cast.alice.pk, made, "@maia hello")

    async def destroy(self, _number: int) -> None:
        if self.made:
            await in_db(delete_channel)(self.cast.alice.pk, self.made.pop())

    async def direct(self, number: int) -> None:
        person = self.person(number).pk
        made = await in_db(channels.open_direct)(person, self.cast.atelier.id, "maia")
        await in_db(post_message)(person, made, "between us")

    async def role(self, number: int) -> None:
        role = ("viewer", "editor", "owner")[number % 3]
        alice, atelier, bob = self.cast.alice.pk, self.cast.atelier.id, self.cast.bob.pk
        await in_db(workspaces.change_role)(alice, atelier, bob, role)

    async def leave(self, number: int) -> None:
        alice, atelier, vera = self.cast.alice.pk, self.cast.atelier.id, self.cast.vera
        if number % 2:
            await in_db(workspaces.remove_member)(alice, atelier, vera.pk)
        else:
            await in_db(workspaces.add_member)(alice, atelier, "vera", "viewer")

    async def settings(self, number: int) -> None:
        await in_db(change_request_settings)(
            self.cast.alice.pk, self.cast.atelier.id, editors_answer=number % 2 == 0, hours=24
        )

    async def come_or_go(self, number: int) -> None:
        sidebar = self.sidebars[("alice", "bob", "vera")[number % 3]]
        await (sidebar.open() if sidebar.tab is None else sidebar.close())

    async def settled(self) -> None:
        """Waits until everything that was told so far has been read and has arrived."""
        async with asyncio.timeout(30):
            while tasks := self.people._tasks - {self.people._rounds}:
                await asyncio.wait(tasks)
            for sidebar in self.sidebars.values():
                await sidebar.arrived()

    async def assert_same(self) -> None:
        await self.settled()
        for sidebar in self.sidebars.values():
            if sidebar.tab is not None:
                fresh = json.loads((await in_db(sight_of)(sidebar.user.pk)).frame.body)
                assert sidebar.state is not None
                assert sidebar.state.wire() == fresh, sidebar.user.username


OWN: dict[str, Callable[[Office, int], Awaitable[None]]] = {
    "read": Office.read,
    "talk": Office.talk,
    "make": Office.make,
    "destroy": Office.destroy,
    "direct": Office.direct,
    "role": Office.role,
    "leave": Office.leave,
    "settings": Office.settings,
    "come or go": Office.come_or_go,
}
ALL = (*OWN, *OWN, "read", "read", "talk", *NAMES)
ACTION = st.tuples(st.sampled_from(ALL), st.integers(0, 23))


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists_module, "TELL_AFTER", 0)


@asynccontextmanager
async def office(cast: Cast, who: tuple[str, ...]) -> AsyncIterator[Office]:
    hub.loop = asyncio.get_running_loop()
    worlds = []
    for _ in range(2):
        made = await in_db(channels.create_channel)(
            cast.alice.pk, cast.atelier.id, new_id(), members=("maia",)
        )
        worlds.append(World(cast, made))
    here = Office(cast, people_module.people, worlds)
    for name in ("alice", "bob", "vera", "charlie"):
        here.sidebars[name] = Sidebar(getattr(cast, name))
        if name in who:
            await here.sidebars[name].open()
    await here.settled()
    try:
        yield here
    finally:
        for sidebar in here.sidebars.values():
            await sidebar.close()


@given(actions=st.lists(st.tuples(ACTION, st.booleans()), min_size=20, max_size=60))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
async def test_whatever_happens_every_sidebar_shows_what_a_new_one_would(
    cast: Cast, actions: list[tuple[tuple[str, int], bool]]
) -> None:
    async with office(cast, ("alice", "bob", "vera")) as here:
        for action, look in actions:
            await here.act(*action)
            if look:
                await here.assert_same()
        await here.assert_same()


@given(actions=st.lists(ACTION, min_size=20, max_size=60))
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
async def test_a_stranger_hears_nothing_and_nobody_of_direct_conversations_of_others(
    cast: Cast, actions: list[tuple[str, int]]
) -> None:
    async with office(cast, ("alice", "bob", "vera", "charlie")) as here:
        for action in actions:
            await here.act(*action)
        await here.settled()
        charlie = here.sidebars["charlie"]
        assert [
            one for one in charlie.history if not isinstance(one, Hello | ChannelsChanged)
        ] == []
        directs = Channel.objects.exclude(direct_user=None).values_list("id", "direct_user")
        owners = dict(await in_db(list)(directs))
        for sidebar in here.sidebars.values():
            heard = {one for frame in sidebar.history for one in named(frame)}
            assert not {one for one in heard if owners.get(one, sidebar.user.pk) != sidebar.user.pk}
            assert sidebar is not charlie or not heard


@given(before=st.lists(ACTION, max_size=15), after=st.lists(ACTION, min_size=5, max_size=30))
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
async def test_whoever_was_removed_hears_nothing_more_in_that_moment(
    cast: Cast, before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    await in_db(workspaces.add_member)(cast.alice.pk, cast.atelier.id, "bob", "editor")
    async with office(cast, ("bob",)) as here:
        for action in before:
            await here.act(*action)
        bob = here.sidebars["bob"]
        if bob.tab is None:
            await bob.open()
        await in_db(workspaces.remove_member)(cast.alice.pk, cast.atelier.id, cast.bob.pk)
        heard = await bob.arrived()  # what was on its way is still bob's to hear
        for name, number in after:
            if name not in ("role", "leave", "come or go"):
                await here.act(name, number)
        await here.settled()
        told = [frame for frame in bob.history[heard:] if named(frame)]
        assert [one for one in told if not isinstance(one, ChannelGone)] == []


def named(frame: Frame) -> set[str]:
    """The channels that a frame names."""
    match frame:
        case ChannelsChanged(channels=shown):
            return {one.id for one in shown}
        case ChannelChanged(channel=entry):
            return {entry.id}
        case _:
            channel = getattr(frame, "channel", None)
            return {channel} if isinstance(channel, str) else set()


@pytest.mark.parametrize("seed", RECORDED)
async def test_recorded_lists_fold_to_the_last_one(cast: Cast, seed: int) -> None:
    path = SESSIONS / f"{seed}.json"
    if os.environ.get("MAIA_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(await recorded(cast, seed), indent=1, ensure_ascii=False) + "\n")
    session = json.loads(path.read_text())
    state = ChannelsChanged.model_validate(session["list"])
    for frame in map(FRAME.validate_python, session["frames"]):
        state = apply_to_list(state, frame, session["me"]["id"])
    assert len(session["frames"]) > 20
    assert state.wire() == session["final"]


async def recorded(cast: Cast, seed: int) -> dict[str, Any]:
    """Plays a session in which nobody's rights change, as bob sees it."""
    chance = random.Random(seed)
    names = [name for name in ALL if name not in ("role", "leave", "settings", "come or go")]
    async with office(cast, ("bob",)) as here:
        bob = here.sidebars["bob"]
        began = len(bob.history)
        first = bob.state
        assert first is not None
        for _ in range(LENGTH):
            await here.act(chance.choice(names), chance.randrange(24))
            await here.settled()
        await here.assert_same()
        assert bob.state is not None
        assert bob.tab is not None
        return {
            "me": bob.tab.visitor.person.wire(),
            "list": first.wire(),
            "frames": [one.wire() for one in bob.history[began:]],
            "final": bob.state.wire(),
        }
