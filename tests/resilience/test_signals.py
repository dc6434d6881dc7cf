"""A server ends when told to, and what it starts hears every signal, however it was started."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import websockets

from agents.domain.content.parts import ToolPart
from agents.protocol.frames import ChannelSnapshot
from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_server import ScriptedServer
from tests.support.reader import tools

DEAF = """
import os, signal, sys
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execvp(sys.argv[1], sys.argv[1:])
"""
HEARD = "command grep -hE '^Sig(Blk|Ign)' /proc/self/status"
HELD_BACK = re.compile(r"Sig(?:Blk|Ign):\t([0-9a-f]{16})")
OF_PROGRAMS = sum(1 << (number - 1) for number in signal.valid_signals())
"""Without those the C library keeps for itself (32, 33), which nobody but it can set."""


class Shell:
    """A terminal's socket and what it showed."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self._connection = connection
        self.shown = ""

    async def type(self, text: str) -> None:
        await self._connection.send(text.encode())

    async def until(self, text: str) -> None:
        async with asyncio.timeout(30):
            while text not in self.shown:
                told = await self._connection.recv()
                self.shown += told.decode(errors="replace") if isinstance(told, bytes) else ""


def held_back(shown: str) -> list[int]:
    """Returns the masks of blocked and ignored signals that were shown, two a process."""
    return [int(mask, 16) & OF_PROGRAMS for mask in HELD_BACK.findall(shown)]


@asynccontextmanager
async def shell_of(story: Story) -> AsyncIterator[Shell]:
    opened = story.alice.post(
        f"/api/workspaces/{story.workspace}/terminals", json={"cols": 100, "rows": 30}
    )
    opened.raise_for_status()
    cookies = "; ".join(f"{name}={value}" for name, value in story.alice.cookies.items())
    async with websockets.connect(
        f"{story.server.url.replace('http', 'ws')}/ws/terminal/{opened.json()['id']}",
        origin=websockets.Origin(story.server.url),
        additional_headers={"Cookie": cookies},
        proxy=None,
    ) as connection:
        yield Shell(connection)


def cards(state: ChannelSnapshot) -> list[ToolPart]:
    return [card for message in state.messages for card in tools(message)]


@pytest.mark.parametrize(
    ("under", "kind"),
    [
        pytest.param((), "daphne", id="plain"),
        pytest.param((sys.executable, "-c", DEAF), "daphne", id="deaf"),
        pytest.param((sys.executable, "-c", DEAF), "uvicorn", id="deaf-uvicorn"),
    ],
)
async def test_ctrl_c_works_in_the_server_and_in_all_it_starts(
    start_server: StartServer, model_server: ScriptedServer, under: tuple[str, ...], kind: str
) -> None:
    server = start_server({"MAIA_SERVER": kind}, under=under)
    story = Story.begin(server, model_server)
    try:
        async with story.tab() as tab:
            await tab.send(f"!{HEARD}")
            state = await tab.until(
                lambda state: [one for one in cards(state) if one.status == "completed"]
            )
        card = cards(state)[-1]
        assert held_back(card.output) == [0, 0]
        async with shell_of(story) as shell:
            await shell.type(f"{HEARD}; echo told-$((1))\r")
            await shell.until("told-1")
            assert held_back(shell.shown) == [0, 0]
            await shell.type("sh -c 'echo runs-$((2)); exec sleep 1000'\r")
            await shell.until("runs-2")
            await shell.type("\x03")
            await shell.until("$ ")
            await shell.type("echo $?-after\r")
            await shell.until("130-after")
        assert server.stop(signal.SIGINT) == 0
    finally:
        story.close()


async def test_a_hang_up_does_not_end_a_server_that_nohup_started(
    start_server: StartServer,
) -> None:
    server = start_server(under=("nohup",))
    server.program.process.send_signal(signal.SIGHUP)
    with server.http() as client:
        assert client.get("/sign-in").status_code == 200
    assert server.stop(signal.SIGTERM) == 0
