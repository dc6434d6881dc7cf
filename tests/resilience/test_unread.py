"""Nobody fills the server: who acknowledges and never reads, and what prints without end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
import websockets

from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.reader import fresh
from tests.support.screen import screen_of
from tests.support.unread import MB, Memory, Unread

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("one")]
FLOOD = 48 * MB
WORDS = "word " * 1_600
SNAPSHOTS = 60
PRINTED = {
    "50 MB of stderr": "head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99 >&2",
    "a line of 50 MB": "head -c 50000000 /dev/zero | tr '\\0' x",
    "100,000 lines": "seq 100000",
}


@pytest.fixture(params=["daphne", "uvicorn"])
def site(
    request: pytest.FixtureRequest, start_server: StartServer, model_server: ScriptedServer
) -> Iterator[Story]:
    told = Story.begin(start_server({"MAIA_SERVER": request.param}), model_server, 10_000_000)
    yield told
    told.close()


def memory(site: Story) -> Memory:
    return Memory(site.server.program.process.pid)


def terminal(site: Story) -> str:
    made = site.alice.post(f"/api/workspaces/{site.workspace}/terminals", json={})
    return str(made.raise_for_status().json()["id"])


async def read_to(connection: websockets.ClientConnection, end: bytes) -> int:
    """Draws what comes, as a page does, up to `end`; returns how many bytes that was."""
    tail, size = b"", 0
    async with asyncio.timeout(120):
        while end not in tail:
            message = await connection.recv()
            if isinstance(message, bytes):
                assert len(message) <= 256 * 1024
                tail, size = (tail + message)[-2 * len(message) - 64 :], size + len(message)
                await connection.send(json.dumps({"type": "ack", "bytes": len(message)}))
    return size


async def test_a_screen_that_acknowledges_and_never_reads_holds_little_and_is_let_go(
    site: Story,
) -> None:
    shell = terminal(site)
    async with screen_of(site.server, site.alice, shell) as honest:
        await honest.run("stty -echo; echo here-$((1))", "here-1")
        with Unread(site.server, site.alice, f"/ws/terminal/{shell}") as unread:
            ack: dict[str, object] = {"type": "ack", "bytes": FLOOD}
            unread.say(ack)
            held = memory(site)
            await honest.connection.send(f"yes | head -c {FLOOD}; echo all-$((9))\r".encode())
            ended = asyncio.Event()
            acks = asyncio.create_task(
                asyncio.to_thread(unread.acknowledge_until, ended.is_set, [ack])
            )
            try:
                assert await read_to(honest.connection, b"all-9") > FLOOD
                assert held.grown() < 16
                async with asyncio.timeout(60):
                    assert await asyncio.shield(acks), "it is cut off"
            finally:
                ended.set()
                await acks


async def test_a_tab_that_answers_pings_and_never_reads_holds_little_and_is_let_go(
    site: Story,
) -> None:
    site.model.script(answer(*[text(WORDS)] * 125))  # 1 MB: so is each snapshot
    async with site.tab() as tab:
        await tab.send("tell me much")
        await tab.until_idle()
    with Unread(site.server, site.alice, "/ws") as unread:
        held = memory(site)
        pongs: list[dict[str, object]] = [{"type": "pong", "n": n} for n in range(400)]
        last = {"type": "channel:send", "channel": site.channel, "text": "said", "clientRef": "z"}

        def flooded() -> bool:
            try:
                for number in range(SNAPSHOTS):
                    wanted = {"type": "channel:subscribe", "channel": site.channel}
                    unread.say({**wanted, "clientRef": str(number)})
                    for pong in pongs[4 * number : 4 * number + 12]:
                        unread.say(pong)
                unread.say(dict(last))
            except ConnectionError:
                return True
            return unread.acknowledge_until(
                lambda: fresh(site.alice, site.channel).messages[-1].role == "user", pongs
            )

        cut_off = await asyncio.to_thread(flooded)
        assert held.grown() < 48
        assert cut_off
