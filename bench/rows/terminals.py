"""Terminals: throughput and echo, beside terminado and a PTY that nobody else reads."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import statistics
import sys
import time

from bench.report import Row
from bench.rows import row
from bench.servers.maia import MaiaSide
from bench.servers.shells import (
    BareTerminals,
    MaiaTerminals,
    Shell,
    TerminadoTerminals,
    Terminals,
    flooded,
    opened,
)
from bench.servers.side import FloorSide
from tests.support.processes import Program, free_port

BYTES = 32 * 1024 * 1024
FLOOD = f"stty -echo; head -c {BYTES * 3 // 4} /dev/zero | base64; echo fin''ished\n"
END = b"finished"
KEYS = "abcdefghijklmnopqrstuvwxy" * 4
LINE = 25
CLEAR_LINE = "\x15"


async def terminal(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """Shells, as people type into them."""
    limit, speed = row("c1-pty"), row("c1-terminado")
    echo, beside_floods = row("c2-idle"), row("c2-floods")
    bare_echo, bare_floods = row("c2-bare"), row("c2-bare-floods")
    bare = BareTerminals(floor.port)
    port = free_port()
    program = Program([sys.executable, "-m", "bench.servers.terminado_server", str(port)])
    ours, theirs = MaiaTerminals(maia, maia.people(1)[0]), TerminadoTerminals(port)
    try:
        program.wait_for("ready")
        for _ in range(rounds):
            alone = await asyncio.to_thread(_pty_alone)
            fast = await _throughput(ours)
            limit.add(fast, alone)
            speed.add(fast, await _throughput(theirs))
            beside = await _echo(theirs)
            echo.add(await _echo(ours), beside)
            bare_echo.add(await _echo(bare), beside)
            beside = await _echo_beside_floods(theirs)
            beside_floods.add(await _echo_beside_floods(ours), beside)
            bare_floods.add(await _echo_beside_floods(bare), beside)
    finally:
        program.kill()
    return [limit, speed, echo, beside_floods, bare_echo, bare_floods]


async def _throughput(terminals: Terminals) -> float:
    """Returns MB/s from the first byte to the last."""
    async with terminals.new() as address, opened(address) as shell:
        done = asyncio.Event()
        size, tail, first = 0, b"", 0.0

        def take(data: bytes) -> None:
            nonlocal size, tail, first
            first = first or time.monotonic()
            size += len(data)
            tail = (tail + data)[-64:]
            if END in tail:
                done.set()

        shell.on_bytes = take
        shell.type(FLOOD)
        async with asyncio.timeout(120):
            await done.wait()
        return size / 1e6 / (time.monotonic() - first)


async def _echo(terminals: Terminals) -> float:
    async with terminals.new() as address, opened(address) as shell:
        return await _keys(shell)


async def _echo_beside_floods(terminals: Terminals) -> float:
    async with terminals.new() as one, terminals.new() as two, terminals.new() as address:
        with flooded((one, two)):
            async with opened(address) as shell:
                return await _keys(shell)


async def _keys(shell: Shell) -> float:
    """Returns the median ms until the line editor of the shell shows a typed key."""
    delays = []
    for number, key in enumerate(KEYS):
        if number % LINE == 0:
            shell.type(CLEAR_LINE)
            await asyncio.sleep(0.1)  # it is drawn
        began = time.monotonic()
        await shell.until(key, key.encode())
        delays.append(time.monotonic() - began)
    return statistics.median(delays) * 1000


def _pty_alone() -> float:
    """Returns MB/s of a PTY read by nobody else."""
    pid, master = pty.fork()
    if pid == 0:
        os.execvp("bash", ["bash", "--norc", "-c", FLOOD.strip()])
    size, first = 0, 0.0
    with contextlib.suppress(OSError):
        while data := os.read(master, 65536):
            first = first or time.monotonic()
            size += len(data)
    elapsed = time.monotonic() - first
    os.close(master)
    os.waitpid(pid, 0)
    return size / 1e6 / elapsed
