"""Clients that go away without a word leave no traceback, and every close has a valid code."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import httpx
import pytest

from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.screen import screen_of
from tests.support.server import MaiaServer
from tests.support.unread import handshake

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("one")]
CLIENTS = 30


@pytest.fixture(params=["daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, start_server: StartServer) -> MaiaServer:
    return start_server({"MAIA_SERVER": request.param})


@pytest.fixture
def alice(server: MaiaServer, model_server: ScriptedServer) -> Iterator[httpx.Client]:
    model = {"kind": "openai", "url": model_server.url, "model": "m", "context_size": 9000}
    server.prepare("alice", model=model)
    with server.sign_in("alice") as client:
        yield client


def opened(alice: httpx.Client) -> tuple[str, str]:
    """A terminal and a conversation of hers."""
    workspace = alice.get("/api/workspaces").json()[0]["id"]
    terminal = alice.post(f"/api/workspaces/{workspace}/terminals", json={}).json()["id"]
    direct = {"workspace": workspace, "agent": "maia"}
    return terminal, alice.post("/api/channels/direct", json=direct).json()["id"]


def reset(connection: socket.socket) -> None:
    """Leaves with a reset instead of a goodbye."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.close()


async def test_whoever_leaves_without_a_word_is_no_traceback(
    server: MaiaServer, alice: httpx.Client, model_server: ScriptedServer
) -> None:
    shell, channel = opened(alice)
    terminal = f"/ws/terminal/{shell}"
    nobody = server.http()
    async with server.socket(alice) as tab:
        for number in range(CLIENTS):
            for client, path in ((alice, "/ws"), (alice, terminal), (nobody, terminal)):
                connection = handshake(server, client, path)
                if number % 3:
                    await asyncio.to_thread(connection.recv, 40 * (number % 3))
                reset(connection)
        await tab.command("channel:subscribe", channel=channel)
        model_server.script(answer(*[text("word ") for _ in range(200)]))
        async with server.socket(alice) as other, screen_of(server, alice, shell) as screen:
            await other.command("channel:subscribe", channel=channel)
            await screen.run("yes | head -c 400000 &", "y")
            await tab.command("channel:send", channel=channel, text="go")
            for open_one in (other.connection, screen.connection):
                open_one.transport.abort()
        await tab.wait(lambda frame: frame["message"].get("stopReason"), "message:updated")
    nobody.close()
    server.stop()
    log = server.program.output
    assert "Traceback" not in log, log[-4000:]
    assert "invalid close code" not in log
    assert "took too long" not in log


async def test_a_screen_that_is_closed_elsewhere_is_told_by_a_code_of_the_page(
    server: MaiaServer, alice: httpx.Client
) -> None:
    made, _channel = opened(alice)
    async with screen_of(server, alice, made) as screen:
        await screen.run("echo here-$((1))", "here-1")
        await asyncio.to_thread(alice.delete, f"/api/terminals/{made}")
        assert await screen.closed() == 4004
    async with screen_of(server, alice, "01nothing") as screen:
        assert await screen.closed() == 4004
    await asyncio.to_thread(alice.post, "/sign-out")
    async with screen_of(server, alice, made) as screen:
        assert await screen.closed() == 4001
    async with server.socket(alice) as tab:
        assert await tab.wait_closed() == 4401
