"""Starts and idle sockets."""

from __future__ import annotations

import sys
import time

from bench.sides import FloorSide, MaiaSide, pss_kib, wait_for_page
from tests.support.processes import Program, free_port

IDLE = 200


def start_maia(side: MaiaSide) -> float:
    """Returns the seconds until the first page of a second MAIA on the same, migrated data."""
    port = free_port()
    began = time.monotonic()
    env = {**side.server.env, "MAIA_PORT": str(port)}
    program = Program([sys.executable, "manage.py", "serve"], env)
    try:
        wait_for_page(f"http://127.0.0.1:{port}/sign-in")
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
