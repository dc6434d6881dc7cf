"""From a person's send to the model's request: how much is asked on the way, and in which order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from django.db import DatabaseError, connection

from agents.delivery import dispatch
from agents.domain.model_servers.endpoint import Endpoint
from agents.models import KnownModel, Message, SessionMessage, Turn
from agents.protocol.frames import TurnChanged
from agents.providers.kept_clients import KeptClients
from agents.runtime.answering.built_in import BuiltInAgent
from agents.runtime.host import Host
from agents.services.channels.channels import create_channel
from agents.services.turns.people import cancel_channel
from agents.services.typed.lines import say
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.local_host import KeepingHost, local_host
from tests.support.openai_behaviours import Gate, answer, text
from tests.support.openai_server import ScriptedServer

pytestmark = pytest.mark.django_db(transaction=True)
MOST = 12
ASKED = "the model is asked"


class Notes:
    """What the database was asked, and when a model was about to be, in one order."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.all.append(sql)
        return execute(sql, params, many, context)

    @property
    def before(self) -> list[str]:
        return self.all[: self.all.index(ASKED)]


class NotingClients(KeptClients):
    """Notes when somebody is about to ask a model."""

    def __init__(self, notes: Notes) -> None:
        super().__init__()
        self._notes = notes

    @asynccontextmanager
    async def use(
        self, endpoint: Endpoint, *, connect: float = 10
    ) -> AsyncIterator[httpx.AsyncClient]:
        self._notes.all.append(ASKED)
        async with super().use(endpoint, connect=connect) as client:
            yield client


@asynccontextmanager
async def noting(host: Host) -> AsyncIterator[Notes]:
    notes = Notes()
    await host.clients.close()
    host.clients = NotingClients(notes)
    await in_db(lambda: connection.execute_wrappers.append(notes))()
    try:
        yield notes
    finally:
        await in_db(lambda: connection.execute_wrappers.remove(notes))()


async def test_a_send_reaches_the_model_after_twelve_statements_at_most(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    counted: list[list[str]] = []
    async with listening(cast.alice.pk, channel) as listener:
        for number in range(4):
            model.script(answer(text("Hello")))
            async with noting(host) as notes:
                await in_db(say)(cast.alice.pk, channel, "@maia hi", f"ref-{number}")
                await listener.until_idle()
            counted.append(notes.before)

    # the host looks now and then for work that no hint told of: it may have done so meanwhile
    fewest = min(counted, key=len)
    assert len(fewest) <= MOST, "\n".join(fewest)
    assert not any(sql.startswith("UPDATE") and "lease_until" in sql for sql in fewest)


async def test_all_files_are_read_in_one_hop_until_the_model_is_asked(
    cast: Cast, channel: str, host: Host, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hops: list[str] = []
    to_thread = asyncio.to_thread

    async def noted(work: Any, *args: Any) -> Any:
        hops.append(getattr(work, "func", work).__qualname__)
        return await to_thread(work, *args)

    gate = Gate()
    async with listening(cast.alice.pk, channel) as listener:
        model.script(answer(text("The first loads what all others have.")))
        await in_db(say)(cast.alice.pk, channel, "hi")
        await listener.until_idle()
        model.script(answer(gate, text("Hello")))
        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "to_thread", noted)
            await in_db(say)(cast.alice.pk, channel, "and now")
            await to_thread(model.wait_for_chats, 2)
        gate.open()
        await listener.until_idle()
    assert hops == ["_read"]


async def test_the_beginning_of_an_answer_is_told_once(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(gate, text("Hello")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(say)(cast.alice.pk, channel, "hi")
        state = await listener.until(lambda state: state.busy)
        told = [frame for frame in listener.frames if isinstance(frame, TurnChanged)]
        gate.open()
        await listener.until_idle()

    assert len(told) == 1
    assert state.answering is not None
    assert state.answering.starter is not None
    assert (state.answering.agent, state.answering.starter.name) == ("maia", "Alice")
    assert [message.role for message in state.messages] == ["user", "agent"]


async def test_whoever_asks_first_is_served_whole_before_the_next(
    cast: Cast, host: Host, model: ScriptedServer
) -> None:
    names = [f"room {number}" for number in range(6)]
    rooms = [
        await in_db(create_channel)(cast.alice.pk, cast.atelier.id, name, "", ("maia",))
        for name in names
    ]
    model.chooser = lambda _body: answer(text("Hello"))
    async with noting(host) as notes:
        await asyncio.gather(*(in_db(say)(cast.alice.pk, room, "hi") for room in rooms))
        await asyncio.to_thread(model.wait_for_chats, len(rooms))

    begins = [at for at, sql in enumerate(notes.all) if 'INSERT INTO "agents_turn"' in sql]
    servers = [at for at, sql in enumerate(notes.all) if 'FROM "agents_modelserver"' in sql]
    assert len(begins) == len(rooms)
    in_order = sorted((*begins, *servers[: len(rooms)]))
    assert in_order[::2] == begins  # a turn, the server that it asks, the next turn
    for room in rooms:
        async with listening(cast.alice.pk, room) as listener:
            await listener.until_idle()


async def test_somebody_who_stops_at_once_is_heard(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    model.chooser = lambda _body: answer(Gate(), text("never"))

    def say_and_stop() -> None:
        say(cast.alice.pk, channel, "hi")
        cancel_channel(cast.alice.pk, channel)

    async with listening(cast.alice.pk, channel) as listener:
        await in_db(say_and_stop)()
        state = await listener.until_idle()

    assert state.messages[-1].stop_reason == "cancelled"


async def test_somebody_who_stops_before_the_host_comes_to_it_has_no_model_asked(
    cast: Cast, channel: str, host: Host, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = asyncio.Event()
    monkeypatch.setattr(BuiltInAgent, "after", lambda _self, _ended: busy.wait())
    model.chooser = lambda _body: answer(text("Hello"))
    async with noting(host) as notes, listening(cast.alice.pk, channel) as listener:
        await in_db(say)(cast.alice.pk, channel, "hi")
        await listener.until_idle()
        await in_db(say)(cast.alice.pk, channel, "and again")
        await listener.until(lambda state: state.busy)
        await in_db(cancel_channel)(cast.alice.pk, channel)
        busy.set()
        state = await listener.until_idle()

    assert state.messages[-1].stop_reason == "cancelled"
    assert notes.all.count(ASKED) == 1


async def test_a_model_server_that_cannot_be_read_is_a_fault_of_the_turn_and_not_of_the_post(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    learned = {"url": model.url, "model": "scripted", "traits": '{"of_a_later_version": true}'}
    await in_db(KnownModel.objects.create)(**learned)
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(say)(cast.alice.pk, channel, "hi")
        state = await listener.until_idle()
    assert state.messages[-1].error is not None


LOST = "other-boot:0:1:1:x"


def lost_host() -> AbstractContextManager[KeepingHost]:
    """The host of a process that dies between the commit and the first step."""
    return local_host(LOST, lambda _turn: None)


async def test_a_turn_whose_process_died_at_once_is_answered_once_by_the_next(
    cast: Cast, channel: str, model: ScriptedServer
) -> None:
    with lost_host():
        await in_db(say)(cast.alice.pk, channel, "hi")
    assert await in_db(Turn.objects.values_list("state", "host").get)() == ("running", LOST)
    await in_db(Turn.objects.update)(lease_until=None)  # its lease is over

    model.script(answer(text("Hello")))
    running = Host()
    await running.start()
    try:
        async with listening(cast.alice.pk, channel) as listener:
            state = await listener.until_idle()
    finally:
        await running.stop()
    assert len(model.chats) == 1
    assert [message.role for message in state.messages] == ["user", "agent"]
    assert await in_db(SessionMessage.objects.count)() == 2


class Dies:
    """The process dies at the `at`th statement."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise DatabaseError("dead")
        return execute(sql, params, many, context)


def test_a_process_that_dies_at_any_statement_leaves_nothing_or_all(
    cast: Cast, channel: str
) -> None:
    died = 0
    with lost_host():
        while True:
            try:
                with connection.execute_wrapper(Dies(died)):
                    say(cast.alice.pk, channel, "hi", "ref")
            except DatabaseError:
                died += 1
                assert not Message.objects.exists()
                assert not Turn.objects.exists()
            else:
                break
        say(cast.alice.pk, channel, "hi", "ref")  # the browser asks again

    assert Message.objects.count() == 2
    assert Turn.objects.values_list("state", flat=True).get() == "running"
    assert died > 5


def test_with_a_broker_nobody_begins_in_the_web_process(cast: Cast, settings: Any) -> None:
    with lost_host():
        assert dispatch.host_here() == LOST
        settings.BROKER_URL = "memory://"
        assert dispatch.host_here() is None
