"""Starts and idle sockets."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.sides import FloorSide, MaiaSide, pss_kib, wait_for_page
from tests.support.processes import Program, free_port
from tests.support.server import MaiaServer

IDLE = 200


@contextmanager
def migrated() -> Iterator[MaiaServer]:
    """Gives a server with data of its own that are migrated: no two servers share them."""
    with TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        server = MaiaServer(Path(folder) / "data")
        server.prepare("alice")
        yield server


def start_maia(server: MaiaServer) -> float:
    """Returns the seconds until the first page."""
    began = time.monotonic()
    program = Program([sys.executable, "manage.py", "serve"], server.env)
    try:
        wait_for_page(f"{server.url}/sign-in")
        return time.monotonic() - began
    finally:
        program.kill()


def start_floor() -> float:
    """Returns the seconds until F's first page."""
    port = free_port()
    began = time.monotonic()
    argv = [sys.executable, "-m", "bench.floor", "--port", str(port), "--model", "http://-"]
    program = Program(argv)
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        return time.monotonic() - began
    finally:
        program.kill()


async def idle_kib(side: FloorSide | MaiaSide) -> float:
    """Returns KiB of the server for one idle socket, from 200 of them."""
    room = await side.new_room()
    before = pss_kib(side.pid)
    joined = [await side.join(room) for _ in range(IDLE)]
    after = pss_kib(side.pid)
    for socket in joined:
        socket.close()
    return (after - before) / IDLE
