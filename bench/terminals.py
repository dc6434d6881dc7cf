"""Terminals: throughput and echo, beside terminado and a PTY that nobody else reads."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import re
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx

from bench.lean_socket import LeanSocket, connect
from bench.report import Row
from bench.sides import MaiaSide
from tests.support.processes import Program, free_port

BYTES = 32 * 1024 * 1024
KEYS = 100
FLOOD = f"stty -echo; head -c {BYTES * 3 // 4} /dev/zero | base64; echo fin''ished\n"
END = b"finished"
ACK_EVERY = 128 * 1024


@dataclass
class Shell:
    """A terminal's socket: `type` writes to it, `on_bytes` gets what it shows."""

    socket: LeanSocket
    type: Callable[[str], None]
    on_bytes: Callable[[bytes], None]


Measure = Callable[[Shell], Awaitable[float]]


async def measure_terminals(maia: MaiaSide, rounds: int) -> list[Row]:
    """Returns the rows of the group."""
    limit = Row("c1 throughput beside a PTY alone", "MB/s", 0.8, "PTY", more_is_better=True)
    speed = Row("c1 throughput beside terminado", "MB/s", 1.2, "terminado", more_is_better=True)
    echo = Row("c2 echo of a key, p50", "ms", 0.8, "terminado", most=1)
    port = free_port()
    program = Program([sys.executable, "-m", "bench.terminado_server", str(port)])
    try:
        program.wait_for("ready")
        for _ in range(rounds):
            alone = await asyncio.to_thread(_pty_alone)
            ours = await _with_maia(maia, _throughput)
            theirs = await _with_terminado(port, _throughput)
            limit.add(ours, alone)
            speed.add(ours, theirs)
            echo.add(await _with_maia(maia, _echo), await _with_terminado(port, _echo))
    finally:
        program.kill()
    return [limit, speed, echo]


async def _with_maia(maia: MaiaSide, measure: Measure) -> float:
    url = f"/api/workspaces/{maia.workspace()}/terminals"
    with maia.server.http() as client:
        client.cookies.set("maia-session", str(maia.cookie().partition("=")[2]))
        client.get("/sign-in")
        client.cookies.set("maia-csrf", "a" * 32)
        headers = {"X-CSRFToken": "a" * 32, "Origin": maia.server.url}
        made = await asyncio.to_thread(_post, client, url, headers)
        socket = await connect(maia.server.port, f"/ws/terminal/{made}", maia.cookie())
        shell = Shell(socket, lambda text: socket.send(text.encode(), kind=2), lambda _data: None)
        unacknowledged = 0

        def take(payload: bytes) -> None:
            nonlocal unacknowledged
            if payload.startswith(b'{"type"'):
                return
            unacknowledged += len(payload)
            if unacknowledged >= ACK_EVERY:
                socket.send(b'{"type":"ack","bytes":%d}' % unacknowledged)
                unacknowledged = 0
            shell.on_bytes(payload)

        socket.on_payload = take
        try:
            return await measure(shell)
        finally:
            socket.close()
            await asyncio.to_thread(client.delete, f"/api/terminals/{made}", headers=headers)


def _post(client: httpx.Client, url: str, headers: dict[str, str]) -> str:
    answer = client.post(url, json={"cols": 80, "rows": 24}, headers=headers)
    answer.raise_for_status()
    return str(answer.json()["id"])


async def _with_terminado(port: int, measure: Measure) -> float:
    socket = await connect(port, f"/websocket/{time.monotonic_ns()}")
    shell = Shell(
        socket,
        lambda text: socket.send(json.dumps(["stdin", text]).encode()),
        lambda _data: None,
    )

    def take(payload: bytes) -> None:
        told = json.loads(payload)
        if told[0] == "stdout":
            shell.on_bytes(told[1].encode())

    socket.on_payload = take
    try:
        return await measure(shell)
    finally:
        socket.close()


async def _throughput(shell: Shell) -> float:
    """Returns MB/s from the first byte to the last."""
    await _settle(shell)
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


async def _echo(shell: Shell) -> float:
    """Returns the median ms until the terminal shows a typed key."""
    await _settle(shell)
    shell.type("cat >/dev/null\n")
    await asyncio.sleep(0.3)
    delays = []
    for _ in range(KEYS):
        shown = asyncio.Event()
        shell.on_bytes = _setter(shown)
        began = time.monotonic()
        shell.type("x")
        async with asyncio.timeout(10):
            await shown.wait()
        delays.append(time.monotonic() - began)
    return statistics.median(delays) * 1000


def _setter(event: asyncio.Event) -> Callable[[bytes], None]:
    return lambda _data: event.set()


async def _settle(shell: Shell) -> None:
    """Returns when the shell has drawn its first prompt and answers."""
    ready = asyncio.Event()
    seen = b""

    def take(data: bytes) -> None:
        nonlocal seen
        seen = (seen + data)[-4096:]
        if re.search(rb"here42", seen):
            ready.set()

    shell.on_bytes = take
    shell.type("echo here$((40+2))\n")
    async with asyncio.timeout(30):
        await ready.wait()
    await asyncio.sleep(0.1)


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
