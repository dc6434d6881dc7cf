"""Two hundred sockets at once, while the server or its database stands still: all open and work."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing

import httpx
import pytest

from tests.support.fixtures import StartServer
from tests.support.server import MaiaServer, Socket
from tests.support.unread import handshake

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("one")]
CROWD = 200


@pytest.fixture(params=["daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, start_server: StartServer) -> MaiaServer:
    return start_server({"MAIA_SERVER": request.param})


@pytest.fixture
def alice(server: MaiaServer) -> Iterator[httpx.Client]:
    server.prepare("alice")
    with server.sign_in("alice") as client:
        yield client


def conversation(alice: httpx.Client) -> str:
    workspace = alice.get("/api/workspaces").json()[0]["id"]
    direct = {"workspace": workspace, "agent": "maia"}
    return str(alice.post("/api/channels/direct", json=direct).json()["id"])


@asynccontextmanager
async def crowd(server: MaiaServer, alice: httpx.Client) -> AsyncIterator[list[Socket]]:
    async with AsyncExitStack() as stack:
        opening = (stack.enter_async_context(server.socket(alice)) for _ in range(CROWD))
        async with asyncio.timeout(60):
            yield list(await asyncio.gather(*opening))


async def test_whoever_comes_while_the_database_stands_still_is_let_in_and_served_after_it(
    server: MaiaServer, alice: httpx.Client
) -> None:
    channel = conversation(alice)
    with closing(sqlite3.connect(server.data / "maia.sqlite3", isolation_level=None)) as other:
        async with server.socket(alice) as writer:
            await writer.wait(lambda _frame: True, "hello")
            other.execute("BEGIN IMMEDIATE")
            held = asyncio.create_task(writer.command("channel:read", channel=channel, position=1))
            await asyncio.to_thread(alice.get, "/static/none")  # the server has got what was sent
            async with crowd(server, alice) as tabs:
                assert not any(tab.frames for tab in tabs), "the database did not stand still"
                other.execute("ROLLBACK")
                for tab in tabs:
                    await tab.command("channel:subscribe", channel=channel)
                assert all(tab.closed_with is None for tab in tabs)
            await held


async def test_whoever_comes_while_the_server_stands_still_is_let_in_after_it(
    server: MaiaServer, alice: httpx.Client
) -> None:
    pid = server.program.process.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            asked = await asyncio.to_thread(
                lambda: [handshake(server, alice, "/ws") for _ in range(CROWD)]
            )
    finally:
        os.kill(pid, signal.SIGCONT)
    for connection in asked:
        with connection:
            connection.settimeout(60)
            head = await asyncio.to_thread(connection.recv, 1024)
            assert b" 101 " in head
