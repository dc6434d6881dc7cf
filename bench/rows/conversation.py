"""Opening a conversation of 10,000 messages, beside a bare ninja page and one of 100 messages."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from bench.report import Row
from bench.rows import row
from bench.servers.lean_socket import LeanSocket
from bench.servers.maia import Frame, MaiaSide, command, said
from bench.servers.side import FloorSide, wait_for_page
from tests.support.processes import Program, free_port

LONG, SHORT = 10_000, 100
EACH = 9
SIZE = 255
SHOWN = 100


async def conversation(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """As in a browser: the page is there and its socket open, a click opens the conversation."""
    page, length = row("f-page"), row("f-length")
    (person,) = maia.people(1)
    mine = (person.id, person.workspace)
    wanted = [(*mine, LONG, SIZE), (*mine, SHORT, SIZE)]
    long, short = maia.made("bench.made.conversations:long", wanted)
    socket = await maia.connect(person)
    with _bare_page(maia) as bare, httpx.Client(trust_env=False, timeout=60) as client:
        theirs = f"{bare}/api/{long}"
        for _ in range(2):  # what is loaded at the first use is no part of the later ones
            _get(client, theirs)
            await opened(socket, long)
            await opened(socket, short)
        for _ in range(rounds * EACH):
            took = await opened(socket, long)
            page.add(took, _get(client, theirs))
            length.add(took, await opened(socket, short))
    socket.close()
    return [page, length]


async def opened(socket: LeanSocket, channel: str) -> float:
    """Returns the ms until the whole conversation is there; it is closed again."""
    began = time.perf_counter()
    frame = await said(socket, is_snapshot, type="channel:subscribe", channel=channel)
    took = (time.perf_counter() - began) * 1000
    assert len(frame["messages"]) == SHOWN
    await command(socket, type="channel:unsubscribe", channel=channel)
    return took


def is_snapshot(frame: Frame) -> bool:
    """Says whether this is the conversation."""
    return str(frame["type"]) == "channel:snapshot"


def _get(client: httpx.Client, url: str) -> float:
    began = time.perf_counter()
    answer = client.get(url)
    rows = answer.raise_for_status().json()
    took = (time.perf_counter() - began) * 1000
    assert len(rows) == SHOWN
    return took


@contextmanager
def _bare_page(maia: MaiaSide) -> Iterator[str]:
    port = free_port()
    database = str(maia.server.data / "maia.sqlite3")
    program = Program(
        [sys.executable, "-m", "bench.servers.page", "--port", str(port), "--database", database]
    )
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}"
    finally:
        program.kill()
