"""The main socket: who gets in, what each command answers, what bad input does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from autobahn.exception import Disconnected
from django.conf import settings
from django.contrib.sessions.models import Session

from agents.consumers import client_socket
from agents.consumers.decode import decode
from agents.consumers.snapshots import snapshots
from agents.delivery import Packet, hub
from agents.models import Message
from agents.protocol.topics import channel_topic, person_topic
from agents.services.channels.channels import open_direct
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError
from tests.agents.consumers.conftest import Connect, communicator, sign_in
from tests.cast import Cast
from tests.support.typed import post_message
from workspaces.services import add_member, create_workspace, remove_member, rename_workspace

pytestmark = pytest.mark.django_db(transaction=True)
GOLDEN = Path(__file__).parents[2] / "golden" / "commands"


async def test_the_first_frames_say_who_one_is_and_what_one_sees(
    cast: Cast, channel: str, connect: Connect
) -> None:
    raw = communicator(await in_db(sign_in)(cast.bob))
    await raw.connect()

    hello = await raw.receive_json_from(timeout=60)
    frames = hello if isinstance(hello, list) else [hello, await raw.receive_json_from(timeout=60)]
    await raw.disconnect()

    assert frames[0]["user"]["username"] == "bob"
    assert [info["id"] for info in frames[1]["channels"]] == [channel]


async def test_nobody_gets_in_without_signing_in(cast: Cast, connect: Connect) -> None:
    raw = communicator(None)
    connected, _code = await raw.connect()
    assert connected

    assert (await raw.receive_output(timeout=60))["code"] == 4401
    await raw.wait()


@pytest.mark.parametrize(
    "origin", [None, "https://evil.example", "http://localhost:1", "https://localhost:8000", "null"]
)
async def test_a_page_of_another_origin_gets_no_socket(
    cast: Cast, connect: Connect, origin: str | None
) -> None:
    raw = communicator(await in_db(sign_in)(cast.bob), origin)

    connected, _code = await raw.connect()

    assert not connected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" ", "not-json"),
        ("{", "not-json"),
        ("[]", "invalid"),
        ('"text"', "invalid"),
        ("null", "invalid"),
        ("{}", "unknown-command"),
        ('{"type": 7, "clientRef": "a"}', "unknown-command"),
        ('{"type": "channel:explode", "clientRef": "a"}', "unknown-command"),
        ('{"type": "channel:send", "clientRef": "a"}', "invalid"),
        ('{"type": "channel:send", "clientRef": "a", "channel": 7, "text": "x"}', "invalid"),
        ('{"type": "channel:older", "clientRef": "a", "channel": "x", "before": 0}', "invalid"),
        ('{"type": "channel:read", "clientRef": "a", "channel": "x", "position": -1}', "invalid"),
        (
            json.dumps({"type": "channel:subscribe", "clientRef": "x" * 65, "channel": "x"}),
            "invalid",
        ),
        ("[" * 5_000, "not-json"),
        (
            '{"type": "channel:read", "clientRef": "a", "channel": "x", "position": 1e30}',
            "invalid",
        ),
        (
            '{"type": "channel:read", "clientRef": "a", "channel": "x",'
            ' "position": 99999999999999999999}',
            "invalid",
        ),
        (
            '{"type": "channel:send", "clientRef": "a", "channel": "\\ud800", "text": "x"}',
            "not-json",
        ),
    ],
)
async def test_bad_input_is_answered_and_the_socket_goes_on(
    cast: Cast, channel: str, connect: Connect, text: str, code: str
) -> None:
    socket = await connect(cast.bob)

    await socket.send(text)

    error = await socket.until("error")
    assert error["code"] == code
    assert error["message"]
    assert (await socket.command("channel:subscribe", channel=channel))["type"] == "ack"


@pytest.mark.parametrize(("field", "ref"), [("channel", "a"), ("clientRef", "a\0")])
async def test_an_id_with_a_nul_never_reaches_the_database(field: str, ref: str) -> None:
    """PostgreSQL would call it a fault of the server."""
    command = {"type": "channel:subscribe", "clientRef": ref, "channel": "c", field: "a\0"}
    with pytest.raises(MaiaError) as refused:
        decode(json.dumps(command))
    assert (refused.value.code, refused.value.data["field"]) == ("invalid", field)


async def test_a_message_over_the_limit_is_refused(
    cast: Cast, channel: str, connect: Connect
) -> None:
    socket = await connect(cast.bob)

    answer = await socket.command("channel:send", channel=channel, text="x" * 250_000)

    assert (answer["type"], answer["code"]) == ("error", "invalid")


async def test_a_flood_of_commands_is_slowed_down(
    cast: Cast, channel: str, connect: Connect
) -> None:
    socket = await connect(cast.bob)

    for _ in range(200):
        await socket.send(json.dumps({"type": "channel:explode", "clientRef": "a"}))
        await socket.send(
            json.dumps({"type": "channel:unsubscribe", "clientRef": "b", "channel": "x"})
        )

    assert (await socket.until("error", code="too-much"))["data"]["retryAfter"] == 1


async def test_a_subscriber_gets_the_snapshot_then_what_happens(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob, alice = await connect(cast.bob), await connect(cast.alice)
    await bob.send(json.dumps({"type": "channel:subscribe", "clientRef": "s", "channel": channel}))
    snapshot = await bob.until("channel:snapshot")

    await alice.command("channel:send", channel=channel, text="hello bob")

    update = await bob.until("message:updated")
    assert update["message"]["parts"][0]["text"] == "hello bob"
    assert update["seq"] == snapshot["seq"] + 1


async def test_every_command_of_a_stranger_gets_the_404_of_nothing(
    cast: Cast, channel: str, connect: Connect
) -> None:
    message = await in_db(post_message)(cast.alice.pk, channel, "secret")
    stranger = await connect(cast.charlie)
    there = {"channel": channel, "message": message, "workspace": cast.atelier.id}
    nowhere = {"channel": "nothing", "message": "nothing", "workspace": "nothing"}
    tried = 0
    for path in sorted(GOLDEN.glob("*.json")):
        command = json.loads(path.read_text(encoding="utf-8"))
        targets = there.keys() & command.keys()
        kind = command.pop("type")
        if not targets or kind in ("channel:unsubscribe", "workspace:unwatch"):
            continue
        del command["clientRef"]
        real = await stranger.command(kind, **{**command, **{k: there[k] for k in targets}})
        missing = await stranger.command(kind, **{**command, **{k: nowhere[k] for k in targets}})
        assert (real["type"], real["code"]) == ("error", "not-found"), kind
        assert real == missing, kind
        tried += 1
    assert tried >= 14


async def test_a_direct_conversation_is_closed_to_the_owner_of_the_workspace(
    cast: Cast, connect: Connect
) -> None:
    bobs = await in_db(open_direct)(cast.bob.pk, cast.atelier.id, "maia")
    alice = await connect(cast.alice)

    answer = await alice.command("channel:subscribe", channel=bobs)

    assert answer["code"] == "not-found"


async def test_a_viewer_reads_and_cannot_write(cast: Cast, channel: str, connect: Connect) -> None:
    vera = await connect(cast.vera)

    assert (await vera.command("channel:subscribe", channel=channel))["type"] == "ack"
    assert (await vera.command("channel:send", channel=channel, text="hi"))["code"] == "not-allowed"
    assert (await vera.command("channel:cancel", channel=channel))["code"] == "not-allowed"


async def test_whoever_leaves_the_workspace_hears_no_more_of_its_channels(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob, alice = await connect(cast.bob), await connect(cast.alice)
    await bob.command("channel:subscribe", channel=channel)

    await in_db(remove_member)(cast.alice.pk, cast.atelier.id, cast.bob.pk)
    await alice.command("channel:send", channel=channel, text="now we are among ourselves")

    while (frame := await bob.frame())["type"] != "channel:gone":
        assert frame["type"] != "message:updated"


async def test_what_was_read_before_they_left_is_not_sent_after(
    cast: Cast, channel: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop was busy: they were checked before the snapshot that was read before came back."""
    read, goes_on, whole = asyncio.Event(), asyncio.Event(), snapshots.state

    async def slowly(user: int, wanted: str, seq: int | None = None) -> Packet:
        found = await whole(user, wanted, seq)
        read.set()
        await goes_on.wait()
        return found

    bob = await connect(cast.bob)
    monkeypatch.setattr(snapshots, "state", slowly)
    await bob.send(
        json.dumps({"type": "channel:subscribe", "clientRef": "late", "channel": channel})
    )
    async with asyncio.timeout(30):
        await read.wait()
    await in_db(remove_member)(cast.alice.pk, cast.atelier.id, cast.bob.pk)
    await bob.until("channels:changed")
    goes_on.set()

    while (frame := await bob.frame()).get("clientRef") != "late":
        assert frame["type"] != "channel:snapshot"
    assert frame["code"] == "not-found"
    assert not hub.clients.get(channel_topic(channel))


async def test_an_open_page_learns_of_new_and_renamed_and_lost_workspaces(
    cast: Cast, connect: Connect
) -> None:
    charlie = await connect(cast.charlie)

    async def told(name: str) -> str | None:
        frame = await charlie.until("channels:changed")
        return {one["name"]: one["role"] for one in frame["workspaces"]}.get(name)

    made = await in_db(create_workspace)(cast.alice, "Loft")
    async with asyncio.timeout(20):
        await in_db(add_member)(cast.alice.pk, made.id, "charlie", "viewer")
        while await told("Loft") != "viewer":
            pass
        await in_db(rename_workspace)(cast.alice.pk, made.id, "Attic")
        while await told("Attic") != "viewer":
            pass
        await in_db(remove_member)(cast.alice.pk, made.id, cast.charlie.pk)
        while await told("Attic"):
            pass
        await in_db(create_workspace)(cast.charlie, "Charlie's own")
        while await told("Charlie's own") != "owner":
            pass


async def test_a_session_that_ended_closes_its_sockets(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob = await connect(cast.bob)
    await in_db(Session.objects.filter(pk=bob.session).delete)()

    hub.signal(person_topic(cast.bob.pk), "access")

    assert await bob.closed_with() == 4401


async def test_a_closed_socket_takes_no_more_commands(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob = await connect(cast.bob)
    await in_db(Session.objects.filter(pk=bob.session).delete)()
    hub.signal(person_topic(cast.bob.pk), "access")
    assert await bob.closed_with() == 4401

    late = {"type": "channel:send", "clientRef": "late", "channel": channel, "text": "too late"}
    await bob.send(json.dumps(late))
    await bob.leave()

    assert not await in_db(Message.objects.filter(channel=channel).exists)()


async def test_no_command_of_a_session_that_has_ended_is_carried_out(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob = await connect(cast.bob)
    await in_db(Session.objects.filter(pk=bob.session).delete)()
    hub.signal(person_topic(cast.bob.pk), "access")
    command = {"type": "channel:send", "clientRef": "r", "channel": channel, "text": "late"}
    await bob.send(json.dumps(command))

    assert await bob.closed_with() == 4401
    await bob.leave()
    assert not await in_db(Message.objects.filter(author=cast.bob.pk).exists)()


async def test_a_command_that_came_while_rights_were_looked_at_is_carried_out_then(
    cast: Cast, channel: str, connect: Connect
) -> None:
    bob = await connect(cast.bob)
    for _again in range(3):
        hub.signal(person_topic(cast.bob.pk), "access")
    assert (await bob.command("channel:subscribe", channel=channel))["type"] == "ack"


@pytest.mark.parametrize("left", range(5))
@pytest.mark.parametrize("error", [Disconnected("closed"), ConnectionResetError("gone")])
async def test_a_client_that_is_gone_is_no_fault(
    cast: Cast,
    channel: str,
    connect: Connect,
    left: int,
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await connect(cast.alice)  # so that the process is there
    cookies = {settings.SESSION_COOKIE_NAME: await in_db(sign_in)(cast.bob)} if left else {}
    scope = {"type": "websocket", "path": "/ws", "cookies": cookies}
    gone, sent = asyncio.Event(), []
    command = {"type": "channel:subscribe", "clientRef": "r", "channel": channel}
    said = [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "text": json.dumps(command)},
    ]

    async def receive() -> dict[str, str]:
        if said:
            return said.pop(0)
        await gone.wait()
        return {"type": "websocket.disconnect"}

    async def send(message: dict[str, str]) -> None:
        sent.append(message)
        if len(sent) > left:
            gone.set()
            raise error

    async with asyncio.timeout(20):
        serving = asyncio.create_task(client_socket(scope, receive, send))
        while len(sent) <= left and not serving.done():
            await in_db(rename_workspace)(cast.alice.pk, cast.atelier.id, f"atelier-{len(sent)}")
        gone.set()
        await serving
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_nobody_who_is_gone_is_no_fault(connect: Connect) -> None:
    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, str]) -> None:
        if message["type"] == "websocket.close":
            raise Disconnected

    await client_socket({"type": "websocket", "path": "/ws", "cookies": {}}, receive, send)
