"""Sockets at addresses that are none, and what people may learn of others' names."""

from __future__ import annotations

import asyncio
import re

import pytest
import websockets
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from maia_web.accounts import services
from maia_web.asgi import application
from tests.cast import make_cast
from tests.support.fixtures import StartServer
from workspaces.services import create_workspace

PATHS = ["", "x", "ws/x", "ws/terminal", "ws/terminal/a/b", "WS", "%ff", "ws%00", "é", "../ws"]


@pytest.mark.parametrize("path", PATHS)
async def test_a_socket_at_no_address_is_refused_without_a_word(path: str) -> None:
    origin = [(b"origin", settings.ORIGINS[0].encode())]
    socket = WebsocketCommunicator(application, f"/{path}", headers=origin)
    connected, _code = await socket.connect(timeout=10)
    assert not connected


@pytest.mark.parametrize("kind", ["daphne", "uvicorn"])
async def test_a_server_refuses_such_a_socket_with_403_and_no_traceback(
    start_server: StartServer, kind: str
) -> None:
    server = await asyncio.to_thread(start_server, {"MAIA_SERVER": kind})
    for path in ("/", "/ws/nothing", "/api/ws", "/ws/terminal", "/%ff"):
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with asyncio.timeout(10):
                await websockets.connect(
                    f"ws://127.0.0.1:{server.port}{path}",
                    origin=websockets.Origin(server.url),
                    proxy=None,
                )
        assert refused.value.response.status_code == 403
    await asyncio.to_thread(server.stop)
    assert "Traceback" not in server.program.output


@pytest.mark.parametrize(
    ("kind", "trusted", "address"),
    [("daphne", "", "127.0.0.1"), ("uvicorn", "", "127.0.0.1"), ("daphne", "1", "10.2.2.2")],
)
def test_where_a_guess_comes_from_is_what_a_trusted_proxy_says_alone(
    start_server: StartServer, kind: str, trusted: str, address: str
) -> None:
    server = start_server({"MAIA_SERVER": kind, "MAIA_TRUST_PROXY": trusted})
    server.prepare("alice")
    with server.sign_in("alice") as alice, server.http() as guest:
        guest.get("/sign-in").raise_for_status()
        refused = guest.post(
            "/sign-in",
            data={
                "username": "alice", "password": "a guess",
                "csrfmiddlewaretoken": guest.cookies["maia-csrf"],
            },
            headers={"Origin": server.url, "X-Forwarded-For": "10.1.1.1, 10.2.2.2"},
        )  # fmt: skip
        assert refused.status_code == 422
        latest = alice.get("/api/audit").json()["lines"][0]
        assert (latest["outcome"], latest["address"]) == ("refused", address)


@pytest.mark.django_db
@pytest.mark.parametrize("road", ["page", "api"])
def test_owners_learn_who_may_be_let_in_and_nothing_of_closed_accounts(road: str) -> None:
    cast = make_cast()
    services.set_active(services.create_user("gone", "correct horse 42"), False)
    browser = Client()
    browser.force_login(cast.alice)
    workspace = create_workspace(cast.alice, "another").id

    def told(username: str) -> tuple[int, str]:
        form = {"username": username, "role": "viewer"}
        if road == "page":
            answer = browser.post(f"/w/{workspace}/members", form)
        else:
            url = f"/api/workspaces/{workspace}/members"
            answer = browser.post(url, form, content_type="application/json")
        return answer.status_code, re.sub(r'(value|nonce)="[^"]*"', "", answer.content.decode())

    assert told("gone") == told("none")
    page = browser.get(f"/w/{workspace}/settings").content.decode()
    assert 'value="charlie"' in page
    assert 'value="gone"' not in page
