"""Starts, and sockets that say nothing."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.clocks import at_rest, pss_kib
from bench.report import Row
from bench.rows import row
from bench.servers.maia import MaiaSide, server_chosen
from bench.servers.side import FloorSide, Side, wait_for_page
from tests.support.processes import Program, free_port
from tests.support.server import MaiaServer

IDLE = 200
AT_ONCE = 20


async def idle(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """Sockets of different people, once server and sockets have come to rest."""
    measured = row("h1-idle")
    measured.add(await _idle_kib(maia), await _idle_kib(floor))
    return [measured]


async def _idle_kib(side: Side) -> float:
    """Returns KiB of the server for one idle socket, from 200 of them."""
    people = side.people(IDLE)
    rooms = [await side.new_room(person) for person in people]
    await at_rest(side.pids)
    before = pss_kib(side.pids[0])
    joined = []
    for start in range(0, IDLE, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        joined += await asyncio.gather(*map(side.join, rooms[some], people[some]))
    await at_rest(side.pids)
    after = pss_kib(side.pids[0])
    for socket in joined:
        socket.close()
    return (after - before) / IDLE


async def start(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """From the command that people type, everything set up, to the first page."""
    measured = row("i-start")
    with _migrated() as server:
        await asyncio.to_thread(_start_maia, server)  # it may have to set up something yet
        for _ in range(rounds):
            ours = await asyncio.to_thread(_start_maia, server)
            measured.add(ours, await asyncio.to_thread(_start_floor))
    return [measured]


@contextmanager
def _migrated() -> Iterator[MaiaServer]:
    """Gives a server with data of its own that are migrated: no two servers share data."""
    with TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        server = MaiaServer(Path(folder) / "data", server_chosen())
        server.prepare("alice")
        yield server


def _start_maia(server: MaiaServer) -> float:
    """Returns the seconds until the first page."""
    # What another make has told this one is not for the one that is measured.
    env = {name: value for name, value in server.env.items() if not name.startswith("MAKE")}
    began = time.monotonic()
    program = Program(["make", "run", f"PYTHON={sys.executable}"], env)
    try:
        wait_for_page(f"{server.url}/sign-in")
        return time.monotonic() - began
    finally:
        program.kill()


def _start_floor() -> float:
    """Returns the seconds until F's first page."""
    port = free_port()
    began = time.monotonic()
    argv = [sys.executable, "-m", "bench.servers.floor", "--port", str(port), "--model", "http://-"]
    program = Program(argv)
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        return time.monotonic() - began
    finally:
        program.kill()
