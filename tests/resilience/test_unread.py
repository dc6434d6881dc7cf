"""Nobody fills the server: who acknowledges and never reads, and what prints without end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from functools import partial

import pytest
import websockets

from agents.domain.content.parts import ToolPart
from agents.protocol.frames import ChannelSnapshot
from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.reader import idle, last_said, tools
from tests.support.screen import screen_of
from tests.support.unread import MB, Memory, Unread

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("one")]
FLOOD = 48 * MB
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
    told.model.script(answer(text("Here.")))  # what is loaded for a first turn is nobody's fill
    told.alice.post(f"/api/channels/{told.channel}/messages", json={"text": "Are you there?"})
    told.kept("Here.")
    yield told
    told.close()


def memory(site: Story) -> Memory:
    return Memory(site.server.program.process.pid)


def terminal(site: Story) -> str:
    made = site.alice.post(f"/api/workspaces/{site.workspace}/terminals", json={})
    return str(made.raise_for_status().json()["id"])


def shown(state: ChannelSnapshot) -> list[ToolPart]:
    return [card for message in state.messages for card in tools(message)]


def answered(text: str, state: ChannelSnapshot) -> bool:
    return last_said(state) == text and idle(state)


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


async def test_a_tab_that_acknowledges_and_never_reads_holds_little_and_is_let_go(
    site: Story,
) -> None:
    async with site.tab() as tab:
        for _ in range(8):
            await tab.send("!seq 100000 104000")
        await tab.until(lambda state: [one.status for one in shown(state)] == ["completed"] * 8)
    with Unread(site.server, site.alice, "/ws") as unread:
        asks: dict[str, object] = {
            "type": "channel:subscribe",
            "clientRef": "s",
            "channel": site.channel,
        }
        pongs: list[dict[str, object]] = [{"type": "pong", "n": n} for n in range(1, 40)]
        held = memory(site)
        end = time.monotonic() + 60
        cut = await asyncio.to_thread(
            unread.acknowledge_until, lambda: time.monotonic() > end, [asks, *pongs]
        )
    assert cut, "it is cut off"
    assert held.grown() < 16


@pytest.mark.parametrize("site", ["daphne"], indirect=True)
async def test_a_command_that_prints_without_end_holds_no_more_than_what_is_kept(
    site: Story,
) -> None:
    site.alice.post("/api/rules", json={"scope": "person", "family": "allow", "text": "Bash"})
    async with site.tab() as tab:
        held = memory(site)
        for what, command in PRINTED.items():
            await tab.send(f"!{command}")
            await tab.until(lambda state: all(card.status == "completed" for card in shown(state)))
            site.model.script(tool_answer("Bash", {"command": command}))
            site.model.script(answer(text(what)))
            await tab.send("go")
            await tab.until(partial(answered, what), seconds=120)
            typed, told = shown(tab.state)[-2:]
            assert (typed.status, told.status) == ("completed", "completed"), what
            for output in (typed.output, site.results(-1)[-1]):
                assert "characters left out" in output, what
                assert len(output) < 31_000, what
        assert held.grown() < 24
