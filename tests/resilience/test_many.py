"""Many processes: what one web process, worker or Redis loses, the others make good."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import Gate, answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.reader import essence, idle, last_said, pending, tools
from tests.support.server import MaiaServer, Refused
from tests.support.services import Postgres, Redis, run_postgres, run_redis

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("many"), pytest.mark.timeout(300)]
LEASE = 6.0


class Restarted:
    """A Redis of one test alone, which loses everything when it restarts on its port."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self.now: Redis = self._running.enter_context(run_redis())

    def stop(self) -> None:
        self._running.close()

    def start(self) -> None:
        self.now = self._running.enter_context(run_redis(self.now.port))


@pytest.fixture
def redis() -> Iterator[Restarted]:
    server = Restarted()
    yield server
    server.stop()


@pytest.fixture
def webs(
    start_server: StartServer, postgres: Postgres, redis: Restarted
) -> tuple[MaiaServer, MaiaServer]:
    """Two web processes; the first one has a worker."""
    env = {
        "DATABASE_URL": postgres.new_site(),
        "REDIS_URL": redis.now.url(0),
        "MAIA_BROKER_URL": redis.now.url(1),
        "MAIA_HOST_QUEUE": "maia.test",
        "MAIA_LEASE_SECONDS": str(LEASE),
    }
    return start_server(env, workers=1), start_server(env)


@pytest.fixture
def site(webs: tuple[MaiaServer, MaiaServer], model_server: ScriptedServer) -> Iterator[Story]:
    told = Story.begin(webs[0], model_server)
    yield told
    told.close()


async def test_tabs_on_two_web_processes_see_the_same_and_either_can_answer_and_stop(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    gate = Gate()
    site.model.script(tool_answer("Bash", {"command": "echo line >> ran.txt"}))
    site.model.script(answer(text("one "), gate, text("never")))
    async with site.tab(webs[0]) as here, site.tab(webs[1]) as there:
        await here.send("go")
        await there.answer((await there.until(pending)).permissions[0], "allow_once")
        for tab in (here, there):
            await tab.until(lambda state: last_said(state) == "one ")
        began = time.monotonic()
        await there.socket.command("channel:cancel", channel=site.channel)
        await here.until_idle(seconds=60)
        assert time.monotonic() - began < 1.0 + site.slowness()
        await there.until_idle()
        await here.until_fresh(site.alice)
        await there.until_fresh(site.alice)
        # A frame of one process may overtake one of another: the gap is seen, and healed once.
        assert max(here.subscriptions, there.subscriptions) <= 2
    assert site.lines("ran.txt") == ["line"]


def test_a_command_that_is_repeated_in_another_process_runs_once(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    conversation = f"/api/channels/{site.channel}"
    with webs[1].sign_in("alice") as there, ThreadPoolExecutor() as pool:
        for number in range(5):
            sent = {"text": "/new", "clientRef": f"new-{number}"}
            both = [
                pool.submit(client.post, f"{conversation}/messages", json=sent)
                for client in (site.alice, there)
            ]
            here_and_there = [one.result() for one in both]
            assert [one.status_code for one in here_and_there] == [200, 200]
            assert here_and_there[0].json() == here_and_there[1].json()
    messages = site.alice.get(conversation).json()["messages"]
    assert [one.get("code") for one in messages] == ["session-new"] * 5


async def test_when_a_worker_dies_in_mid_answer_another_takes_the_turn_up(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    site.model.script(answer(text("one "), Gate()))
    site.model.script(answer(text("two")))
    async with site.tab(webs[0]) as here, site.tab(webs[1]) as there:
        await here.send("go")
        await there.until(lambda state: last_said(state) == "one ")
        site.kept("one ")
        webs[0].start_worker()
        webs[0].workers[0].kill()
        state = await here.until_idle(seconds=3 * LEASE)
        await there.until_idle()
        await here.until_fresh(site.alice)
        await there.until_fresh(site.alice)
    assert last_said(state) == "one two"


async def test_a_worker_that_was_frozen_wakes_and_says_nothing_of_what_another_took_up(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    gate = Gate()
    site.model.script(answer(text("one "), gate, text("stale "), text("more")))
    site.model.script(tool_answer("Bash", {"command": "echo line >> ran.txt"}))
    site.model.script(answer(text("two")))
    async with site.tab(webs[0]) as here, site.tab(webs[1]) as there:
        await here.send("go")
        await there.until(lambda state: last_said(state) == "one ")
        await asyncio.to_thread(site.kept, "one ")
        frozen = webs[0].workers[0]
        os.kill(frozen.process.pid, signal.SIGSTOP)
        await asyncio.to_thread(webs[0].start_worker)
        request = (await here.until(pending, seconds=3 * LEASE)).permissions[0]
        seen = (here.subscriptions, there.subscriptions)
        gate.open()
        os.kill(frozen.process.pid, signal.SIGCONT)
        await asyncio.to_thread(frozen.wait_for, "was taken up by another host")
        await there.answer(request, "allow_once")
        state = await here.until_idle()
        await there.until_idle()
        await here.until_fresh(site.alice)
        await there.until_fresh(site.alice)
        assert (here.subscriptions, there.subscriptions) == seen  # no tab saw a gap
    assert last_said(state) == "one two"
    assert site.lines("ran.txt") == ["line"]


async def test_a_worker_that_is_told_to_stop_hands_its_turn_over(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    site.model.script(tool_answer("Bash", {"command": "echo line >> ran.txt"}))
    site.model.script(answer(text("Done.")))
    async with site.tab(webs[1]) as tab:
        await tab.send("go")
        request = (await tab.until(pending)).permissions[0]
        webs[0].start_worker()
        await asyncio.to_thread(webs[0].workers[0].stop)
        await tab.answer(request, "allow_once")
        state = await tab.until_idle(seconds=3 * LEASE)
    assert site.lines("ran.txt") == ["line"]
    assert [card.status for card in tools(state.messages[-1])] == ["completed"]


async def test_a_web_process_that_starts_in_mid_answer_shows_all_of_it(
    site: Story, webs: tuple[MaiaServer, MaiaServer]
) -> None:
    gate, second = Gate(), Gate()
    site.model.script(answer(text("one "), gate, text("two "), second, text("three")))
    async with site.tab(webs[0]) as here:
        await here.send("go")
        await here.until(lambda state: last_said(state) == "one ")
        webs[1].kill()
        webs[1].start()
        async with site.tab(webs[1]) as there:
            gate.open()
            await there.until(lambda state: last_said(state) == "one two ")
            second.open()
            await there.until_idle()
            assert essence(there.state) == essence(await here.until_idle())
            assert last_said(there.state) == "one two three"


async def test_a_redis_that_restarts_in_mid_answer_costs_nothing_but_time(
    site: Story, webs: tuple[MaiaServer, MaiaServer], redis: Restarted
) -> None:
    lost, after = Gate(), Gate()
    site.model.script(answer(text("one "), lost, text("two "), after, text("three")))
    site.model.script(answer(text("next")))
    async with site.tab(webs[0]) as here, site.tab(webs[1]) as there:
        await here.send("go")
        await there.until(lambda state: last_said(state) == "one ")
        await asyncio.to_thread(redis.stop)
        lost.open()
        await after.until_reached()
        await asyncio.to_thread(site.kept, "two ")
        await asyncio.to_thread(redis.start)
        for tab in (here, there):
            await tab.until(lambda state: last_said(state) == "one two ", seconds=30)
        after.open()
        for tab in (here, there):
            await tab.until_idle(seconds=30)
        await here.until_fresh(site.alice)
        await there.until_fresh(site.alice)
        assert last_said(here.state) == "one two three"

        await here.send("and on")
        await there.until(
            lambda state: last_said(state) == "next" and idle(state), seconds=4 * LEASE
        )


async def test_while_redis_does_not_answer_posting_is_acknowledged_and_the_rest_comes_later(
    site: Story, webs: tuple[MaiaServer, MaiaServer], redis: Restarted
) -> None:
    """Stopped, not ended: whoever writes to it could wait for ever."""
    site.model.script(answer(text("one")))
    async with site.tab(webs[0]) as here, site.tab(webs[1]) as there:
        os.kill(redis.now.pid, signal.SIGSTOP)
        try:
            await here.send("go")  # returns with its acknowledgement
            await here.socket.wait(lambda _frame: True, "site:state", seconds=60)
            page = (await asyncio.to_thread(site.alice.get, "/")).status_code
        finally:
            os.kill(redis.now.pid, signal.SIGCONT)
        assert page == 200
        for tab in (here, there):
            await tab.until(lambda state: state.messages and idle(state), seconds=60)
        await here.until_fresh(site.alice)
        await there.until_fresh(site.alice)
        assert last_said(here.state) == "one"


async def test_while_the_database_restarts_a_message_is_held_and_not_lost(
    start_server: StartServer, model_server: ScriptedServer
) -> None:
    with run_postgres() as server:
        story = Story.begin(start_server({"DATABASE_URL": server.new_site()}), model_server)
        story.model.script(answer(text("one")))
        async with story.tab() as tab:
            await asyncio.to_thread(server.stop)
            with pytest.raises(Refused) as refused:
                await tab.send("go")
            assert refused.value.code == "unavailable"  # the browser keeps it and sends it again
            await asyncio.to_thread(server.start)
            await tab.send("go")
            await tab.until_idle()
            assert last_said(tab.state) == "one"
        story.close()
