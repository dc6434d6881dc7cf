"""Terminals by REST and socket: only for the person who opened them, while their role holds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from autobahn.exception import Disconnected
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.test import AsyncClient

from tests.cast import Cast, make_cast
from tests.support.known import the
from tests.workspaces.terminals.client import SocketClient
from workspaces.consumers import TerminalSocket
from workspaces.services import change_role, remove_member
from workspaces.terminals.host import terminals

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandboxed")]


class Scene:
    """The cast, signed in, and the sockets they open."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.base = f"/api/workspaces/{cast.atelier.id}"
        self.sockets: list[SocketClient] = []
        self.sessions: dict[str, SessionBase] = {}
        self.session: SessionBase

    async def client(self, who: str) -> AsyncClient:
        client = AsyncClient()
        await client.aforce_login(getattr(self.cast, who))
        self.sessions.setdefault(who, _session_of(client))
        return client

    async def open(self, who: str) -> str:
        client = await self.client(who)
        self.session = _session_of(client)
        answer = await client.post(
            f"{self.base}/terminals", {"cols": 90, "rows": 30}, content_type="application/json"
        )
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    def socket(self, who: str | None, terminal: str, **options: Any) -> SocketClient:
        session = options.pop("session", None) or self.sessions.get(who or "")
        cookies = {settings.SESSION_COOKIE_NAME: session.session_key} if session else {}
        application = TerminalSocket(**options)
        self.sockets.append(SocketClient(application, f"/ws/terminal/{terminal}", cookies=cookies))
        return self.sockets[-1]


def _session_of(client: AsyncClient) -> SessionBase:
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    return the(SessionBase, import_module(settings.SESSION_ENGINE).SessionStore(key))


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    made = Scene(await sync_to_async(make_cast)())
    yield made
    for socket in made.sockets:
        await socket.leave()
    await terminals.close_all()


async def test_a_person_opens_uses_reloads_renames_and_closes_a_terminal(scene: Scene) -> None:
    terminal = await scene.open("bob")
    client = await scene.client("bob")
    socket = scene.socket("bob", terminal)
    await socket.until_frame("replay")  # empty, or the prompt if the shell was quicker
    socket.say({"type": "resize", "cols": 101, "rows": 33})
    socket.type("echo size $(stty size)\r")
    await socket.until("size 33 101")
    socket.say({"type": "ack", "bytes": len(socket.screen)})
    await socket.leave()
    again = scene.socket("bob", terminal)
    await again.until("size 33 101")
    assert (await again.until_frame("replay"))["bytes"] > 0
    renamed = await client.patch(
        f"/api/terminals/{terminal}",
        {"name": "می\u200cسازد 🩷\u202e"},
        content_type="application/json",
    )
    assert renamed.json() == {"id": terminal, "name": "می\u200cسازد 🩷", "code": None}
    listed = await client.get(f"{scene.base}/terminals")
    assert listed.json() == [renamed.json()]
    again.type("exit 3\r")
    assert await again.until_frame("exit") == {"type": "exit", "code": 3}
    assert (await client.get(f"{scene.base}/terminals")).json()[0]["code"] == 3
    assert (await client.delete(f"/api/terminals/{terminal}")).status_code == 204
    assert (await client.get(f"{scene.base}/terminals")).json() == []


async def test_nobody_else_reaches_it_not_even_an_owner(scene: Scene) -> None:
    terminal = await scene.open("bob")
    for who in ("alice", "vera", "charlie", "administrator"):
        client = await scene.client(who)
        answer = await client.delete(f"/api/terminals/{terminal}")
        unknown = await client.delete("/api/terminals/01unknown")
        assert (answer.status_code, answer.json()) == (404, unknown.json())
        socket, nothing = scene.socket(who, terminal), scene.socket(who, "01unknown")
        socket.say({"type": "focus"})
        assert await socket.until_closed() == await nothing.until_closed() == 4004
        assert socket.frames == nothing.frames
        assert socket.screen == b""
    client = await scene.client("alice")
    assert (await client.get(f"{scene.base}/terminals")).json() == []


async def test_nobody_signed_in_gets_nothing(scene: Scene) -> None:
    terminal = await scene.open("bob")
    assert await scene.socket(None, terminal).until_closed() == 4001
    assert (await AsyncClient().delete(f"/api/terminals/{terminal}")).status_code == 401


async def test_a_viewer_opens_none(scene: Scene) -> None:
    client = await scene.client("vera")
    answer = await client.post(f"{scene.base}/terminals", {}, content_type="application/json")
    assert answer.status_code == 403


async def test_who_becomes_a_viewer_or_leaves_loses_the_socket(scene: Scene) -> None:
    cast = scene.cast
    first = await scene.open("bob")
    socket = scene.socket("bob", first, round_seconds=0.02)
    await socket.until("$")
    await sync_to_async(change_role)(cast.alice.pk, cast.atelier.id, cast.bob.pk, "viewer")
    assert await socket.until_closed() == 4003
    assert await scene.socket("bob", first).until_closed() == 4003
    await sync_to_async(remove_member)(cast.alice.pk, cast.atelier.id, cast.bob.pk)
    assert await scene.socket("bob", first).until_closed() == 4004


async def test_who_signs_out_loses_the_socket(scene: Scene) -> None:
    terminal = await scene.open("bob")
    client = await scene.client("bob")
    session = _session_of(client)
    socket = scene.socket("bob", terminal, round_seconds=0.02, session=session)
    await socket.until("$")
    await client.alogout()
    assert await socket.until_closed() == 4001


async def test_a_terminal_ends_with_the_session_it_was_opened_in_and_no_other(scene: Scene) -> None:
    terminal = await scene.open("bob")
    opened_in = scene.session
    other = await scene.client("bob")
    here = scene.socket("bob", terminal, session=opened_in)
    there = scene.socket("bob", terminal, session=_session_of(other))
    await here.until("$")
    await there.until("$")

    await other.alogout()
    await terminals.recheck(scene.cast.bob.pk)
    assert await there.until_closed() == 4001
    here.type("echo on-$((1))\r")
    await here.until("on-1")

    await sync_to_async(Session.objects.filter(pk=opened_in.session_key).delete)()
    await terminals.recheck(scene.cast.bob.pk)
    assert await here.until_closed() == 4001
    assert terminals.of(scene.cast.bob.pk, scene.cast.atelier.id) == ()


async def test_what_is_typed_while_rights_are_looked_at_waits(scene: Scene) -> None:
    terminal = terminals.get(scene.cast.bob.pk, await scene.open("bob"))
    socket = scene.socket("bob", terminal.id)
    await socket.until("$")
    with terminal.doubted(), terminal.doubted():
        socket.type("echo waited-$((1))\r")
        terminal.type(b"echo before-$((1))\r")
        assert b"waited" not in await socket.until("before-1")
    await socket.until("waited-1")


async def test_nothing_is_typed_into_a_shell_whose_end_has_begun(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = terminals.get(scene.cast.bob.pk, await scene.open("bob"))
    socket = scene.socket("bob", terminal.id)
    await socket.until("$")
    begins, ends = asyncio.Event(), asyncio.Event()
    typed: list[bytes] = []

    def write(data: bytes) -> bool:
        typed.append(data)
        return True

    monkeypatch.setattr(terminal.pty, "write", write)
    hang_up = terminal.pty.close

    async def slowly() -> None:
        begins.set()
        await ends.wait()
        await hang_up()

    monkeypatch.setattr(terminal.pty, "close", slowly)
    cast = scene.cast
    await sync_to_async(change_role)(cast.alice.pk, cast.atelier.id, cast.bob.pk, "viewer")
    recheck = asyncio.create_task(terminals.recheck(cast.bob.pk))
    assert await socket.until_closed() == 4003
    await begins.wait()
    terminal.type(b"echo never\r")
    ends.set()
    await recheck
    assert typed == []


@pytest.mark.parametrize("left", [0, 1, 2, 3])
@pytest.mark.parametrize("who", ["bob", None])
async def test_a_client_that_is_gone_is_no_fault(
    scene: Scene, who: str | None, left: int, caplog: pytest.LogCaptureFixture
) -> None:
    terminal = terminals.get(scene.cast.bob.pk, await scene.open("bob"))
    cookies = {settings.SESSION_COOKIE_NAME: scene.session.session_key} if who else {}
    scope = {"type": "websocket", "path": f"/ws/terminal/{terminal.id}", "cookies": cookies}
    gone = asyncio.Event()
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not sent:
            return {"type": "websocket.connect"}
        await gone.wait()
        return {"type": "websocket.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if len(sent) > left:
            gone.set()
            raise Disconnected("Attempt to send on a closed protocol")

    serving = asyncio.create_task(TerminalSocket()(scope, receive, send))
    terminal.type(b"while echo on; do sleep 0.1; done\r")  # however few pieces it comes in
    async with asyncio.timeout(20):
        await serving
    assert not caplog.records
    assert not terminal.watched


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "é",
        '{"type":"dance"}',
        '{"type":"resize","cols":-1,"rows":5}',
        '{"type":"resize","cols":1e9,"rows":5}',
        '{"type":"ack","bytes":"x"}',
        pytest.param("[" * 100_000, id="deep"),
    ],
)
async def test_a_bad_frame_is_answered_and_the_socket_stays(scene: Scene, text: str) -> None:
    socket = scene.socket("bob", await scene.open("bob"))
    socket.say(text)
    assert (await socket.until_frame("error"))["code"] == "invalid"
    socket.type("echo on-$((4))\r")
    await socket.until("on-4")


async def test_the_socket_that_has_the_keyboard_answers(scene: Scene) -> None:
    terminal = await scene.open("bob")
    one, two = scene.socket("bob", terminal), scene.socket("bob", terminal)
    await asyncio.gather(one.until_frame("answers"), two.until_frame("answers"))

    def told() -> list[bool]:
        return [
            [f["yes"] for f in each.frames if f["type"] == "answers"][-1] for each in (one, two)
        ]

    one.say({"type": "focus"})
    one.say({"type": "unknown"})
    await one.until_frame("error")
    assert told()[0]
    two.type("echo on-$((4))\r")  # on another device, whose field never lost the focus
    await asyncio.gather(one.until("on-4"), two.until("on-4"))
    assert told() == [False, True]
    one.type("\x1b[0n")  # an answer that comes late
    one.frames.clear()
    one.say({"type": "unknown"})
    await one.until_frame("error")
    assert [frame["type"] for frame in one.frames] == ["error"]


async def test_two_sockets_share_one_terminal(scene: Scene) -> None:
    terminal = await scene.open("bob")
    one, two = scene.socket("bob", terminal), scene.socket("bob", terminal)
    one.type("echo from-$((1))\r")
    await asyncio.gather(one.until("from-1"), two.until("from-1"))
