"""Whoever loses a session, an account or a role loses what is open, at once, in every process.

What is done at one web process is felt at the other. What looks again from time to time is set so
far apart that it cannot be what these tests see.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.resilience.story import eventually
from tests.support.prepare import PASSWORD
from tests.support.screen import Screen, screen_of
from tests.support.server import MaiaServer, Refused, Socket

pytestmark = pytest.mark.timeout(300)
SOON = 10.0
"""Less than any look from time to time (30 s, and a sixth of a lease), more than a busy machine."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("default", marks=[pytest.mark.xdist_group("one")]),
        pytest.param("many", marks=[pytest.mark.services, pytest.mark.xdist_group("many")]),
    ],
)
def processes(request: pytest.FixtureRequest) -> Iterator[tuple[MaiaServer, MaiaServer]]:
    """Where somebody acts, and where the others have their things open: two, or one process."""
    env = {"MAIA_LEASE_SECONDS": "600", **_services(request)}
    with request.getfixturevalue("shared_data")() as data, ExitStack() as opened:
        here = opened.enter_context(MaiaServer(data, env, workers=1 if len(env) > 1 else 0))
        there = opened.enter_context(MaiaServer(data, env)) if len(env) > 1 else here
        here.prepare("alice", "bob", "carol")
        yield here, there


def _services(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "default":
        return {}
    postgres, redis = (request.getfixturevalue(name) for name in ("postgres", "redis_server"))
    redis.clear()
    return {
        "DATABASE_URL": postgres.new_site(),
        "REDIS_URL": redis.url(0),
        "MAIA_BROKER_URL": redis.url(1),
        "MAIA_HOST_QUEUE": "maia.test",
    }


@dataclass
class Desk:
    """One sign-in of a person, and what they have open at a server."""

    http: httpx.Client
    there: httpx.Client
    socket: Socket
    screen: Screen
    terminal: str


@dataclass
class Office:
    """A workspace of alice's in which bob is an editor, with two sign-ins."""

    here: MaiaServer
    there: MaiaServer
    alice: httpx.Client
    bob: int
    workspace: str
    channel: str
    open: AsyncExitStack
    clients: ExitStack = field(default_factory=ExitStack)

    async def desk(self, person: str) -> Desk:
        """Signs a person in, and opens a socket and a terminal at the other process."""
        http = self.clients.enter_context(self.here.sign_in(person))
        there = self.clients.enter_context(self.there.http())
        there.cookies.update(http.cookies)
        there.headers.update({"X-CSRFToken": http.cookies["maia-csrf"], "Origin": self.there.url})
        terminal = made(there.post(f"/api/workspaces/{self.workspace}/terminals", json={}))
        socket = await self.open.enter_async_context(self.there.socket(there))
        await socket.wait(lambda _frame: True, "channels:changed")
        screen = await self.open.enter_async_context(screen_of(self.there, there, terminal))
        await screen.run("echo ready-$((1))", "ready-1")
        return Desk(http, there, socket, screen, terminal)

    async def command(self, desk: Desk) -> str:
        """Starts a command that runs on and on; returns its message once it runs."""
        said = made(
            desk.there.post(
                f"/api/channels/{self.channel}/messages", json={"text": "!echo begun; sleep 1000"}
            )
        )
        await asyncio.to_thread(
            eventually, lambda: "begun" in self.output(said), "the command runs"
        )
        return said

    def message(self, said: str) -> dict[str, Any]:
        """A message as alice sees it."""
        state = self.alice.get(f"/api/channels/{self.channel}").json()
        return next(one for one in state["messages"] if one["id"] == said)

    def output(self, said: str) -> str:
        """What a command has printed."""
        return str(self.message(said)["parts"][-1].get("output", ""))


def made(answer: httpx.Response) -> str:
    """The id in an answer."""
    assert answer.is_success, f"{answer.status_code}: {answer.text}"
    return str(answer.json()["id"])


@pytest.fixture
async def office(processes: tuple[MaiaServer, MaiaServer]) -> AsyncIterator[Office]:
    here, there = processes
    with ExitStack() as clients:
        alice = clients.enter_context(here.sign_in("alice"))
        workspace = made(alice.post("/api/workspaces", json={"name": "office"}))
        added = {"username": "bob", "role": "editor"}
        alice.post(f"/api/workspaces/{workspace}/members", json=added).raise_for_status()
        channel = made(
            alice.post(
                "/api/channels", json={"workspace": workspace, "name": "c", "members": ["maia"]}
            )
        )
        people = alice.get(f"/api/channels/{channel}").json()["people"]
        bob = next(one["id"] for one in people if one["username"] == "bob")
        async with AsyncExitStack() as opened:
            yield Office(here, there, alice, bob, workspace, channel, opened, clients)


def signs_out(office: Office, mine: Desk, other: Desk) -> None:
    done(other.http.post("/sign-out"))


def ends_other_sessions(office: Office, mine: Desk, other: Desk) -> None:
    done(mine.http.post("/account/end-sessions"))


def is_disabled(office: Office, mine: Desk, other: Desk) -> None:
    done(office.alice.post(f"/admin/people/{office.bob}/disable"))


def changes_the_password(office: Office, mine: Desk, other: Desk) -> None:
    for old, new in ((PASSWORD, f"{PASSWORD}!"), (f"{PASSWORD}!", PASSWORD)):
        done(mine.http.post("/account/password", data={"current": old, "new": new}))


def is_removed(office: Office, mine: Desk, other: Desk) -> None:
    done(office.alice.post(f"/w/{office.workspace}/members/{office.bob}/remove"))


def becomes_a_viewer(office: Office, mine: Desk, other: Desk) -> None:
    form = {"role": "viewer"}
    done(office.alice.post(f"/w/{office.workspace}/members/{office.bob}/role", data=form))


def done(answer: httpx.Response) -> None:
    assert answer.status_code == 302, f"{answer.status_code}: {answer.text[:300]}"


End = Callable[[Office, Desk, Desk], None]


@pytest.mark.parametrize("end", [signs_out, ends_other_sessions, changes_the_password])
async def test_what_is_open_in_a_session_ends_with_it_and_the_other_goes_on(
    office: Office, end: End
) -> None:
    mine, other = await office.desk("bob"), await office.desk("bob")
    said = await office.command(other)

    await asyncio.to_thread(end, office, mine, other)
    assert await other.screen.closed(SOON) in (4001, 4003)
    assert await other.socket.wait_closed(SOON) == 4401
    await asyncio.to_thread(
        eventually, lambda: office.message(said).get("done"), "the command is over", SOON
    )

    assert office.message(said)["error"]["code"] == "session-ended"
    assert mine.socket.closed_with is None
    await mine.socket.command("channel:subscribe", channel=office.channel)
    await mine.screen.run("echo goes-on-$((2))", "goes-on-2")
    terminals = mine.there.get(f"/api/workspaces/{office.workspace}/terminals")
    if end is signs_out:
        assert [one["id"] for one in terminals.json()] == [mine.terminal]
    else:  # under another key, which the client of the one process does not know of
        mine.there.cookies.clear()
        mine.there.cookies.update(mine.http.cookies)
        listed = mine.there.get(f"/api/workspaces/{office.workspace}/terminals").json()
        assert [one["id"] for one in listed] == [mine.terminal]
        assert mine.there.get("/account").status_code == 200


@pytest.mark.parametrize("end", [is_removed, becomes_a_viewer, is_disabled])
async def test_whoever_loses_the_right_loses_what_is_open_in_every_session(
    office: Office, end: End
) -> None:
    one, two = await office.desk("bob"), await office.desk("bob")
    await one.socket.command("channel:subscribe", channel=office.channel)
    said = await office.command(one)

    await asyncio.to_thread(end, office, one, two)
    for desk in (one, two):
        assert await desk.screen.closed(SOON) in (4001, 4003, 4004)
    await asyncio.to_thread(
        eventually, lambda: office.message(said).get("done"), "the command is over", SOON
    )
    assert office.message(said)["error"]["code"] == "access-lost"

    if end is is_disabled:
        assert await one.socket.wait_closed(SOON) == 4401
        done(office.alice.post(f"/admin/people/{office.bob}/enable"))
        assert one.http.get("/account").status_code == 302, "the old session does not come back"
        return
    if end is is_removed:
        await one.socket.wait(lambda frame: True, "channel:gone", seconds=SOON)
    with pytest.raises(Refused) as refused:
        await one.socket.command("channel:send", channel=office.channel, text="!true")
    assert refused.value.code == ("not-found" if end is is_removed else "not-allowed")
